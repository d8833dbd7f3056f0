export { chunking } from './chunking.ts';
export { encode } from './encode.ts';
export { processing } from './processing.ts';
export { gate } from './limiter/limiter.ts';
