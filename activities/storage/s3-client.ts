import { S3Client } from '@aws-sdk/client-s3';
import { CredentialsUnavailable } from './storage-error.ts';

export interface S3Settings {
  /** Another store than AWS; such stores seldom have a host name for each bucket. */
  endpoint: string | undefined;
  region: string | undefined;
}

/** The SDK passes it on to its providers, though its type does not have it: files of credentials that change are read anew. */
const freshFiles = { ignoreCache: true };

/** Throws `CredentialsUnavailable`, from every request and signature, where the SDK's chain of providers has none now. */
export function s3Client({ endpoint, region }: S3Settings): S3Client {
  const client = new S3Client({
    ...freshFiles,
    // A presigned PUT must not ask for a checksum header that the container cannot know of.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
  });
  const credentials = client.config.credentials;
  client.config.credentials = async (options) => {
    try {
      return await credentials(options);
    } catch (error) {
      throw new CredentialsUnavailable(error);
    }
  };
  return client;
}
