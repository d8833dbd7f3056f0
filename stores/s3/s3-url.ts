export interface S3Object {
  bucket: string;
  key: string;
}

/** The key is literal, as `aws s3` reads it: `#`, `?` and `%` are ordinary characters. */
export function parseS3Url(url: string): S3Object | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/s.exec(url);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { bucket: match[1], key: match[2] };
}

export function isS3ObjectUrl(url: string): boolean {
  return parseS3Url(url) !== undefined;
}
