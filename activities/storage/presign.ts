import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ApplicationFailure } from '@temporalio/common';
import { failureType } from '../../contract/error-codes.ts';
import { createS3Client, type S3Settings } from '../../network/s3-client.ts';
import { CredentialsUnavailable } from './storage-error.ts';
import { isS3Url, parseS3Url, type S3Object } from '../../contract/s3-url.ts';

export interface Presigner {
  /** A URL that anyone can read the object at, for a while. */
  get(object: S3Object): Promise<Presigned>;
  put(object: S3Object): Promise<Presigned>;
  delete(object: S3Object): Promise<Presigned>;
}

export interface Presigned {
  url: string;
  expiresAtMs: number;
}

export interface PresignerSettings extends S3Settings {
  expiresSeconds: number;
}

export function s3Presigner(settings: PresignerSettings): Presigner {
  const client = createS3Client(settings, (error) => new CredentialsUnavailable(error));
  const presign = async (command: GetObjectCommand | PutObjectCommand | DeleteObjectCommand): Promise<Presigned> => {
    const now = Date.now();
    const url = await getSignedUrl(client, command, { expiresIn: settings.expiresSeconds });
    const { expiration } = await client.config.credentials();
    // A signature is valid no longer than the session of the credentials that made it.
    return { url, expiresAtMs: Math.min(now + settings.expiresSeconds * 1000, expiration?.getTime() ?? Infinity) };
  };
  return {
    get: ({ bucket, key }) => presign(new GetObjectCommand({ Bucket: bucket, Key: key })),
    put: ({ bucket, key }) => presign(new PutObjectCommand({ Bucket: bucket, Key: key })),
    delete: ({ bucket, key }) => presign(new DeleteObjectCommand({ Bucket: bucket, Key: key })),
  };
}

/** The URLs of one request, and when the first of those that we presigned expires. */
export class RequestUrls {
  readonly #presigner: Presigner;
  #expiresAtMs = Infinity;

  constructor(presigner: Presigner) {
    this.#presigner = presigner;
  }

  /** What the container can read `url` by. */
  resolveSource(url: string): Promise<string> {
    return this.#resolve(url, 'get');
  }

  /** What the container can write `url` by. */
  resolveUpload(url: string): Promise<string> {
    return this.#resolve(url, 'put');
  }

  /** What the container can remove an object by. */
  resolveRemoval(url: string): Promise<string> {
    return this.#resolve(url, 'delete');
  }

  /** Undefined where we have signed none, or what we signed does not expire. */
  get expireAtMs(): number | undefined {
    return Number.isFinite(this.#expiresAtMs) ? this.#expiresAtMs : undefined;
  }

  async #resolve(url: string, method: keyof Presigner): Promise<string> {
    if (!isS3Url(url)) return url;
    const object = parseS3Url(url);
    if (object === undefined) {
      throw ApplicationFailure.nonRetryable(`Not a URL of an S3 object: ${url}`, failureType('invalid_request'));
    }
    const presigned = await this.#presign(object, method);
    this.#expiresAtMs = Math.min(this.#expiresAtMs, presigned.expiresAtMs);
    return presigned.url;
  }

  async #presign(object: S3Object, method: keyof Presigner): Promise<Presigned> {
    try {
      return await this.#presigner[method](object);
    } catch (error) {
      if (error instanceof CredentialsUnavailable)
        throw new CredentialsUnavailable(error.cause, `s3://${object.bucket}/…`);
      const reason = error instanceof Error ? error.message : String(error);
      throw ApplicationFailure.nonRetryable(`Could not presign s3://${object.bucket}/…: ${reason}`, 'PresignFailed');
    }
  }
}
