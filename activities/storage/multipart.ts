import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { planParts, usualPartSizes, type PartPlan } from '../../contract/part-plan.ts';
import { createS3Client } from '../../network/s3-client.ts';
import type { PresignerSettings } from './presign.ts';
import { CredentialsUnavailable } from './storage-error.ts';
import type { S3Object } from '../../contract/s3-url.ts';

/** What the container stores the parts of one object by. */
export interface PartUrls {
  partUrls: string[];
  completeUrl: string;
  abortUrl: string;
}

/** What the store is to say of an object. */
export interface StoredHeaders {
  contentType: string;
  cacheControl: string | undefined;
}

/** Uploads in parts (S3's multipart uploads): created and ended here, where the credentials are. */
export interface MultipartUploads {
  /** Undefined where one PUT is enough for a file of that size. */
  plan(size: number): PartPlan | undefined;
  /** Answers its id. It cannot be broken off: nobody would know what it has created. */
  create(object: S3Object, kept: StoredHeaders): Promise<string>;
  sign(object: S3Object, uploadId: string, parts: number): Promise<PartUrls>;
  /** One that is gone is no error. */
  abort(object: S3Object, uploadId: string, signal: AbortSignal): Promise<void>;
  /** The ids of those to exactly this object that were begun since. */
  findSince(object: S3Object, sinceMs: number, signal: AbortSignal): Promise<string[]>;
}

/** A store that is up answers at once; shorter than the heartbeat timeout that the workflows give. */
const answerTimeoutMs = 8_000;

export function s3MultipartUploads(settings: PresignerSettings, sizes = usualPartSizes): MultipartUploads {
  const client = createS3Client(settings, (error) => new CredentialsUnavailable(error));
  const within = (signal: AbortSignal) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
  });
  const expires = { expiresIn: settings.expiresSeconds };
  const at = ({ bucket, key }: S3Object) => ({ Bucket: bucket, Key: key });
  return {
    plan: (size) => planParts(size, sizes),
    async create(object, { contentType, cacheControl }) {
      const kept = { ContentType: contentType, CacheControl: cacheControl };
      const command = new CreateMultipartUploadCommand({ ...at(object), ...kept });
      const { UploadId } = await client.send(command, { abortSignal: AbortSignal.timeout(answerTimeoutMs) });
      if (UploadId === undefined) throw new Error('The store answered without the id of the upload');
      return UploadId;
    },
    async sign(object, uploadId, parts) {
      const upload = { ...at(object), UploadId: uploadId };
      const partUrls: string[] = [];
      for (let part = 1; part <= parts; part += 1) {
        partUrls.push(await getSignedUrl(client, new UploadPartCommand({ ...upload, PartNumber: part }), expires));
      }
      return {
        partUrls,
        completeUrl: await getSignedUrl(client, new CompleteMultipartUploadCommand(upload), expires),
        abortUrl: await getSignedUrl(client, new AbortMultipartUploadCommand(upload), expires),
      };
    },
    async abort(object, uploadId, signal) {
      try {
        await client.send(new AbortMultipartUploadCommand({ ...at(object), UploadId: uploadId }), within(signal));
      } catch (error) {
        if (!(error instanceof Error && error.name === 'NoSuchUpload')) throw error;
      }
    },
    async findSince({ bucket, key }, sinceMs, signal) {
      const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key });
      const { Uploads = [] } = await client.send(command, within(signal));
      return Uploads.filter(({ Key, Initiated }) => Key === key && (Initiated?.getTime() ?? 0) >= sinceMs).flatMap(
        ({ UploadId }) => (UploadId === undefined ? [] : [UploadId]),
      );
    },
  };
}
