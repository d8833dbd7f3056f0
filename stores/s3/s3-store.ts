import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { SignedRequest, SigningStore, StoredPart, UnfinishedUpload } from '../store.ts';
import { createS3Client } from './s3-client.ts';
import { asStorageError, regionFailure } from './s3-failure.ts';
import { parseS3Url } from './s3-url.ts';
import type { S3Variables } from './s3-variables.ts';

/** S3 and compatible stores. */
export function openS3Store(variables: S3Variables, signedSeconds: number): SigningStore {
  const client = createS3Client(variables);
  return {
    kind: 'signing',
    abortsUploads: true,

    async sign(url, request, { from, expiresSeconds } = { from: new Date(), expiresSeconds: signedSeconds }) {
      const options = { expiresIn: expiresSeconds, signingDate: from };
      // The function is generic in one kind of command, and does not accept a union.
      const signed = await getSignedUrl(client, commandOf(url, request) as GetObjectCommand, options).catch(
        (error: unknown) => {
          throw regionFailure(error) ?? error;
        },
      );
      const { expiration } = await client.config.credentials();
      // A signature ends with the session of the credentials that made it.
      const expiresAtMs = Math.min(from.getTime() + expiresSeconds * 1000, expiration?.getTime() ?? Infinity);
      return { url: signed, expiresAtMs };
    },

    async sizeOf(url, abortSignal) {
      const facts = await client.send(new HeadObjectCommand(at(url)), { abortSignal }).catch(undefinedIfGone);
      return facts?.ContentLength;
    },

    async beginUpload(url, { contentType: ContentType, cacheControl: CacheControl }, abortSignal) {
      const command = new CreateMultipartUploadCommand({ ...at(url), ContentType, CacheControl });
      const { UploadId } = await client.send(command, { abortSignal }).catch(fail);
      if (UploadId === undefined) throw new Error('The store answered without the id of the upload');
      return UploadId;
    },

    async listParts(url, UploadId, abortSignal) {
      const parts: StoredPart[] = [];
      let PartNumberMarker: string | undefined;
      do {
        const command = new ListPartsCommand({ ...at(url), UploadId, PartNumberMarker });
        const page = await client.send(command, { abortSignal }).catch(undefinedIfGone);
        if (page === undefined) return undefined;
        const found = page.Parts ?? [];
        for (const { PartNumber: part = 0, Size: bytes = 0, ETag: etag = '', LastModified } of found) {
          parts.push({ part, bytes, etag, storedAtMs: LastModified?.getTime() });
        }
        // Some stores mark every page as truncated.
        PartNumberMarker = page.IsTruncated === true && found.length > 0 ? page.NextPartNumberMarker : undefined;
      } while (PartNumberMarker !== undefined);
      return parts;
    },

    async completeUpload(url, UploadId, parts, abortSignal) {
      const Parts = parts.map(({ part, etag }) => ({ PartNumber: part, ETag: etag }));
      const command = new CompleteMultipartUploadCommand({ ...at(url), UploadId, MultipartUpload: { Parts } });
      await client.send(command, { abortSignal }).catch(fail);
    },

    async abortUpload(url, UploadId, abortSignal) {
      const command = new AbortMultipartUploadCommand({ ...at(url), UploadId });
      await client.send(command, { abortSignal }).catch(undefinedIfGone);
    },

    async listUploads(prefix, abortSignal) {
      // A bucket's own URL names no object.
      const { Bucket, Key } = at(`${prefix}-`);
      const Prefix = Key.slice(0, -1);
      const uploads: UnfinishedUpload[] = [];
      let page: ListMultipartUploadsCommandOutput | undefined;
      let isStuck = false;
      do {
        const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page ?? {};
        const command = new ListMultipartUploadsCommand({ Bucket, Prefix, KeyMarker, UploadIdMarker });
        page = await client.send(command, { abortSignal }).catch(fail);
        // Some stores mark every page as truncated.
        isStuck = page.NextKeyMarker === KeyMarker && page.NextUploadIdMarker === UploadIdMarker;
        for (const { Key: key, UploadId: uploadId, Initiated } of page.Uploads ?? []) {
          if (key === undefined || uploadId === undefined || Initiated === undefined) continue;
          uploads.push({ url: `s3://${Bucket}/${key}`, uploadId, startedAtMs: Initiated.getTime() });
        }
      } while (page.IsTruncated === true && !isStuck);
      return uploads;
    },
  };
}

function at(url: string): { Bucket: string; Key: string } {
  const object = parseS3Url(url);
  if (object === undefined) throw new TypeError(`Not the URL of an S3 object: ${url}`);
  return object;
}

function commandOf(url: string, request: SignedRequest) {
  const object = at(url);
  switch (request.kind) {
    case 'get': {
      const { contentType: ResponseContentType, disposition: ResponseContentDisposition } = request.shown ?? {};
      return new GetObjectCommand({ ...object, ResponseContentType, ResponseContentDisposition });
    }
    case 'put':
      return new PutObjectCommand(object);
    case 'delete':
      return new DeleteObjectCommand(object);
    case 'part': {
      const { uploadId: UploadId, part: PartNumber, bytes: ContentLength } = request;
      return new UploadPartCommand({ ...object, UploadId, PartNumber, ContentLength });
    }
    case 'complete':
      return new CompleteMultipartUploadCommand({ ...object, UploadId: request.uploadId });
    case 'abort':
      return new AbortMultipartUploadCommand({ ...object, UploadId: request.uploadId });
  }
}

function undefinedIfGone(error: unknown): undefined {
  const isGone = error instanceof Error && ['NoSuchUpload', 'NoSuchKey', 'NotFound'].includes(error.name);
  if (!isGone) fail(error);
}

function fail(error: unknown): never {
  throw asStorageError(error);
}
