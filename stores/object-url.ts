import { backendOf, needsSigning } from './backends.ts';
import { isPlainKey } from './plain-key.ts';

/**
 * `s3://media/in/talk.wav` has the root `s3://media/` and the literal key `in/talk.wav`. Undefined if the URL names no object of a
 * signing or relayed store.
 */
export function parseObjectUrl(url: string): { root: string; key: string } | undefined {
  if (!needsSigning(url) || backendOf(url)?.isObjectUrl(url) !== true) return undefined;
  const [root = ''] = /^[^:]+:\/\/[^/]*\//.exec(url) ?? [];
  return { root, key: url.slice(root.length) };
}

/** Whether the URL names a bucket or a folder of a signing store, such as `s3://media/` or `s3://media/in/`. */
export function isSignedPrefix(url: string): boolean {
  return backendOf(url)?.signs === true && isObjectPrefix(url);
}

/** The same for a signing or relayed store. */
export function isObjectPrefix(url: string): boolean {
  const object = url.endsWith('/') ? parseObjectUrl(`${url}-`) : undefined;
  return object !== undefined && isPlainKey(object.key);
}

export function isUnder(prefix: string, url: string): boolean {
  return url.startsWith(prefix) && url.length > prefix.length;
}
