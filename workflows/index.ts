export { chunking } from './chunking.ts';
export { encode } from './encode.ts';
export { inspectSource } from './inspect-source.ts';
export { processing } from './processing.ts';
export { limiter } from './limiter/limiter.ts';
export { webhook } from './webhooks/webhook.ts';
