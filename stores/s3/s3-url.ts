/** The key is literal, as `aws s3` reads it: `#`, `?` and `%` are ordinary characters. */
export function parseS3Url(url: string): { Bucket: string; Key: string } | undefined {
  const [, Bucket, Key] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/s.exec(url) ?? [];
  return Bucket === undefined || Key === undefined ? undefined : { Bucket, Key };
}
