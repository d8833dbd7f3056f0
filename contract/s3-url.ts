export interface S3Object {
  bucket: string;
  key: string;
}

/** The key is taken literally, as `aws s3` takes it: `#`, `?` and `%` are characters like others. */
export function parseS3Url(url: string): S3Object | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/s.exec(url);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { bucket: match[1], key: match[2] };
}

export function isS3Url(url: string): boolean {
  return /^s3:/i.test(url);
}
