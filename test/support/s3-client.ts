import { S3Client } from '@aws-sdk/client-s3';
import type { S3Server } from './s3.ts';

/** A client of the server, or of a proxy in front of it. */
export function s3Client({ accessKeyId, secretAccessKey, endpoint }: S3Server, proxyUrl = endpoint): S3Client {
  return new S3Client({
    endpoint: proxyUrl,
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    credentials: { accessKeyId, secretAccessKey },
  });
}
