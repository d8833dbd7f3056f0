import { S3Client } from '@aws-sdk/client-s3';

/** What of the AWS SDK's variables says where a store is. */
export interface S3Environment {
  AWS_ENDPOINT_URL_S3?: string | undefined;
  AWS_ENDPOINT_URL?: string | undefined;
  AWS_REGION?: string | undefined;
  AWS_DEFAULT_REGION?: string | undefined;
}

export interface S3Settings {
  /** Another store than AWS; such stores seldom have a host name for each bucket. */
  endpoint: string | undefined;
  region: string | undefined;
}

export function s3SettingsOf(values: S3Environment): S3Settings {
  const endpoint = values.AWS_ENDPOINT_URL_S3 ?? values.AWS_ENDPOINT_URL;
  // Stores that are not AWS have no regions, but the signature names one.
  const region = values.AWS_REGION ?? values.AWS_DEFAULT_REGION ?? (endpoint === undefined ? undefined : 'us-east-1');
  return { endpoint, region };
}

/** The SDK passes it on to its providers, though its type does not have it: files of credentials that change are read anew. */
const freshFiles = { ignoreCache: true };

/** Throws `noCredentials(…)`, from every request and signature, where the SDK's chain of providers has none now. */
export function createS3Client({ endpoint, region }: S3Settings, noCredentials: (cause: unknown) => Error): S3Client {
  const client = new S3Client({
    ...freshFiles,
    // A presigned PUT must not ask for a checksum header that whoever sends it cannot know of.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
  });
  const credentials = client.config.credentials;
  client.config.credentials = async (options) => {
    try {
      return await credentials(options);
    } catch (error) {
      throw noCredentials(error);
    }
  };
  return client;
}
