import { z } from 'zod';

/** Variables of the AWS SDK that say where the store is. The SDK itself reads the credentials. */
export const s3Variables = {
  AWS_ENDPOINT_URL: z.url().optional(),
  AWS_ENDPOINT_URL_S3: z.url().optional(),
  AWS_REGION: z.string().optional(),
  AWS_DEFAULT_REGION: z.string().optional(),
};
export type S3Variables = z.infer<z.ZodObject<typeof s3Variables>>;

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
