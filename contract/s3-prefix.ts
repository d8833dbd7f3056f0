import { parseS3Url, type S3Object } from './s3-url.ts';

/** All objects of a bucket whose keys begin so; the key is empty or ends with a slash. */
export type S3Prefix = S3Object;

/** Undefined where it is no `s3://bucket/` or `s3://bucket/folder/`. */
export function parseS3Prefix(url: string): S3Prefix | undefined {
  if (!url.endsWith('/')) return undefined;
  // The URL of a bucket names no object.
  const object = parseS3Url(`${url}-`);
  const key = object?.key.slice(0, -1);
  if (object === undefined || key === undefined || !isPlainKey(key)) return undefined;
  return { bucket: object.bucket, key };
}

export function isUnder({ bucket, key }: S3Prefix, object: S3Object): boolean {
  return object.bucket === bucket && object.key.startsWith(key) && object.key.length > key.length;
}

/** Proxies before a store may rewrite `a/../b` to `b`. */
export function isPlainKey(key: string): boolean {
  return !key.split('/').some((segment) => segment === '.' || segment === '..') && !/\p{Cc}/u.test(key);
}
