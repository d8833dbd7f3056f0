import { hasDotSegment } from '../plain-key.ts';

/**
 * The key is literal, as `aws s3` reads it: `#`, `?` and `%` are ordinary characters. An HTTP client would send another path
 * for a segment `.` or `..`, which the signature does not fit.
 */
export function parseS3Url(url: string): { Bucket: string; Key: string } | undefined {
  const [, Bucket, Key] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/s.exec(url) ?? [];
  return Bucket === undefined || Key === undefined || hasDotSegment(Key) ? undefined : { Bucket, Key };
}
