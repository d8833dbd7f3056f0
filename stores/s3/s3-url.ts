/**
 * The key is literal, as `aws s3` reads it: `#`, `?` and `%` are ordinary characters. An HTTP client would send another path
 * for a segment `.` or `..`, which the signature does not fit.
 */
export function parseS3Url(url: string): { Bucket: string; Key: string } | undefined {
  const [, Bucket, Key] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/s.exec(url) ?? [];
  if (Key?.split('/').some((segment) => segment === '.' || segment === '..') === true) return undefined;
  return Bucket === undefined || Key === undefined ? undefined : { Bucket, Key };
}
