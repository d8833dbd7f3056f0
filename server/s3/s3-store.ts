import { setTimeout as delay } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { S3Object } from '../../contract/s3-url.ts';
import { createS3Client, type S3Settings } from '../../network/s3-client.ts';
import { ProblemError } from '../problem-error.ts';
import type { S3Prefix } from '../../contract/s3-prefix.ts';

/** A store that is up answers at once. */
const answerTimeoutMs = 10_000;
/** Somebody waits to see a run, with its links or without. */
const shortTimeoutMs = 3_000;
/** A store may copy all parts of a large file together first. */
const completeTimeoutMs = 5 * 60_000;

/** Whoever ends an upload has ended its requests before. */
const abortPausesMs = [500, 1_000, 2_000];

export interface StoredPart {
  part: number;
  bytes: number;
  etag: string;
}

export interface UnfinishedUpload {
  object: S3Object;
  uploadId: string;
  startedAtMs: number;
}

export interface SignedUrl {
  url: string;
  expiresAtMs: number;
}

interface Lifetime {
  from: Date;
  expiresSeconds: number;
}

const at = ({ bucket, key }: S3Object) => ({ Bucket: bucket, Key: key });

/** What the server asks of a store, and the URLs that it signs for others. Throws `store_unavailable` where the store does not do it. */
export class S3Store {
  readonly #client: S3Client;

  constructor(settings: S3Settings) {
    this.#client = createS3Client(settings, (error) => error as Error);
  }

  async begin(object: S3Object, contentType: string | undefined): Promise<string> {
    return await asking(async (abortSignal) => {
      const command = new CreateMultipartUploadCommand({ ...at(object), ContentType: contentType });
      const { UploadId } = await this.#client.send(command, { abortSignal });
      if (UploadId === undefined) throw new Error('it answered without the id of the upload');
      return UploadId;
    });
  }

  /** Undefined where there is no such upload, or no longer. */
  async listParts(object: S3Object, uploadId: string): Promise<StoredPart[] | undefined> {
    return await asking(async (abortSignal) => {
      const parts: StoredPart[] = [];
      let marker: string | undefined;
      do {
        const command = new ListPartsCommand({ ...at(object), UploadId: uploadId, PartNumberMarker: marker });
        const page = await this.#client.send(command, { abortSignal }).catch(undefinedIfGone);
        if (page === undefined) return undefined;
        const found = page.Parts ?? [];
        for (const { PartNumber: part = 0, Size: bytes = 0, ETag: etag = '' } of found)
          parts.push({ part, bytes, etag });
        // Some stores say of every page that there is more.
        marker = page.IsTruncated === true && found.length > 0 ? page.NextPartNumberMarker : undefined;
      } while (marker !== undefined);
      return parts;
    });
  }

  async complete(object: S3Object, uploadId: string, parts: readonly StoredPart[]): Promise<void> {
    await asking(async (abortSignal) => {
      const Parts = parts.map(({ part, etag }) => ({ PartNumber: part, ETag: etag }));
      const upload = { ...at(object), UploadId: uploadId, MultipartUpload: { Parts } };
      await this.#client.send(new CompleteMultipartUploadCommand(upload), { abortSignal });
    }, completeTimeoutMs);
  }

  /** One that is gone is no error. To one that was ended a part may still come that was on its way: it is looked for, and ended again. */
  async abort(object: S3Object, uploadId: string): Promise<void> {
    for (const pauseMs of abortPausesMs) {
      await this.#abort(object, uploadId);
      await delay(pauseMs);
      if ((await this.listParts(object, uploadId)) === undefined) return;
    }
  }

  async #abort(object: S3Object, uploadId: string): Promise<void> {
    await asking(async (abortSignal) => {
      const command = new AbortMultipartUploadCommand({ ...at(object), UploadId: uploadId });
      await this.#client.send(command, { abortSignal }).catch(undefinedIfGone);
    });
  }

  async *unfinished({ bucket, key }: S3Prefix): AsyncGenerator<UnfinishedUpload> {
    let page: ListMultipartUploadsCommandOutput | undefined;
    do {
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page ?? {};
      const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key, KeyMarker, UploadIdMarker });
      page = await asking(async (abortSignal) => await this.#client.send(command, { abortSignal }));
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key === undefined || UploadId === undefined || Initiated === undefined) continue;
        yield { object: { bucket, key: Key }, uploadId: UploadId, startedAtMs: Initiated.getTime() };
      }
    } while (page.IsTruncated === true);
  }

  /** The bytes of an object; undefined where there is none. */
  async sizeOf(object: S3Object): Promise<number | undefined> {
    return await asking(async (abortSignal) => {
      const facts = await this.#client.send(new HeadObjectCommand(at(object)), { abortSignal }).catch(undefinedIfGone);
      return facts?.ContentLength;
    }, shortTimeoutMs);
  }

  /** For a PUT of exactly so many bytes. */
  async signPart(
    object: S3Object,
    upload: { uploadId: string; part: number; bytes: number },
    expiresSeconds: number,
  ): Promise<SignedUrl> {
    const { uploadId, part, bytes } = upload;
    const wanted = { ...at(object), UploadId: uploadId, PartNumber: part, ContentLength: bytes };
    const lifetime = { from: new Date(), expiresSeconds };
    return await this.#sign(lifetime, (options) => getSignedUrl(this.#client, new UploadPartCommand(wanted), options));
  }

  /** For a GET, which is answered as of that type and name. */
  async signGet(
    object: S3Object,
    { contentType, disposition }: { contentType: string; disposition: string },
    lifetime: Lifetime,
  ): Promise<SignedUrl> {
    const wanted = { ...at(object), ResponseContentType: contentType, ResponseContentDisposition: disposition };
    return await this.#sign(lifetime, (options) => getSignedUrl(this.#client, new GetObjectCommand(wanted), options));
  }

  async #sign(
    { from, expiresSeconds: expiresIn }: Lifetime,
    sign: (options: { expiresIn: number; signingDate: Date }) => Promise<string>,
  ): Promise<SignedUrl> {
    return await asking(async () => {
      const url = await sign({ expiresIn, signingDate: from });
      const { expiration } = await this.#client.config.credentials();
      // A signature is valid no longer than the session of the credentials that made it.
      return { url, expiresAtMs: Math.min(from.getTime() + expiresIn * 1000, expiration?.getTime() ?? Infinity) };
    }, shortTimeoutMs);
  }
}

function undefinedIfGone(error: unknown): undefined {
  const isGone = error instanceof Error && ['NoSuchUpload', 'NoSuchKey', 'NotFound'].includes(error.name);
  if (!isGone) throw error;
}

async function asking<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  timeoutMs = answerTimeoutMs,
): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // What the SDK waits for besides, such as a service of credentials, knows no signal.
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    return await Promise.race([ask(signal), late]);
  } catch (error) {
    const problem = new ProblemError(
      'store_unavailable',
      'The S3 store does not answer the server at the moment, or does not allow it. Please retry; the log of the server has more.',
    );
    problem.cause = error;
    throw problem;
  }
}
