import { S3Client } from '@aws-sdk/client-s3';

export interface S3Settings {
  /** Another store than AWS; such stores seldom have a host name for each bucket. */
  endpoint: string | undefined;
  region: string | undefined;
}

export function s3Client({ endpoint, region }: S3Settings): S3Client {
  return new S3Client({
    // A presigned PUT must not ask for a checksum header that the container cannot know of.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
  });
}
