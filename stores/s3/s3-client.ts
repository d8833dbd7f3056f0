import { S3Client } from '@aws-sdk/client-s3';
import { CredentialsUnavailable } from '../store-error.ts';
import type { S3Variables } from './s3-variables.ts';

/** Makes the SDK read changed credential files again. Its providers accept the option, though the client's type lacks it. */
const freshFiles = { ignoreCache: true };

/** Every request and signature throws CredentialsUnavailable while the SDK's chain of providers finds none. */
export function createS3Client(variables: S3Variables): S3Client {
  const endpoint = variables.AWS_ENDPOINT_URL_S3 ?? variables.AWS_ENDPOINT_URL;
  // Only AWS has regions, but every signature names one.
  const region =
    variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new S3Client({
    ...freshFiles,
    // A signed PUT must not require a checksum header: its sender does not know of it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // Stores other than AWS seldom have a host name per bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
  });
  const { credentials } = client.config;
  client.config.credentials = async (options) => {
    try {
      return await credentials(options);
    } catch (error) {
      throw new CredentialsUnavailable(error);
    }
  };
  return client;
}
