import { createHash } from 'node:crypto';
import { z } from 'zod';
import { planParts } from '../../contract/part-plan.ts';
import { isS3Url, parseS3Url, type S3Object } from '../../contract/s3-url.ts';
import type { CompletedS3Upload, S3PartUrls, S3UploadRequest, S3UploadView } from '../../contract/server/s3-upload.ts';
import type { Caller } from '../access/caller.ts';
import { requireMedia, requireUploadSize } from '../files/upload-limits.ts';
import { createUploadId, isUploadId } from '../files/upload-name.ts';
import { ProblemError, shownId } from '../problem-error.ts';
import { isPlainKey, isUnder, type S3Prefix } from '../../contract/s3-prefix.ts';
import type { S3Store, StoredPart } from './s3-store.ts';

/** As of uploads to the server itself: nobody goes on with one after it. */
const unfinishedKeptMs = 24 * 3_600_000;
/** Of a part's URL. A part takes a minute of a slow line. */
const expiresSeconds = 3600;
/** A part that breaks off is sent again, in a browser from its beginning. */
const partSizes = { largestSinglePutBytes: 0, usualPartBytes: 8 * 1024 ** 2 };

/** Stores that keep an upload as a folder of its id follow a path in it, to other owners' uploads and out of them. */
const StoreUploadId = z.string().min(1).max(2000).refine(isPlainKey);
const OpenedId = z.tuple([z.string().refine(isUploadId), StoreUploadId, z.number().int().min(1)]);

interface OpenUpload {
  id: string;
  object: S3Object;
  uploadId: string;
  bytes: number;
}

/**
 * Uploads of browsers and programs straight to a bucket, in parts by URLs that are signed here. Each lies in a folder of its owner, so that
 * who may go on with it, or use it, is told by its key. The store alone keeps what there is of it.
 */
export class S3Uploads {
  readonly maxBytes: number;
  readonly #store: S3Store;
  readonly #prefix: S3Prefix;
  /** While a store puts the parts together it may know neither the upload nor the object. */
  readonly #completing = new Map<string, Promise<CompletedS3Upload>>();

  constructor({ store, prefix, maxBytes }: { store: S3Store; prefix: S3Prefix; maxBytes: number }) {
    this.maxBytes = maxBytes;
    this.#store = store;
    this.#prefix = prefix;
  }

  async begin({ filename, filetype, bytes }: S3UploadRequest, caller: Caller): Promise<S3UploadView> {
    requireMedia(filetype, shownId(filename));
    requireUploadSize(bytes, this.maxBytes, shownId(filename));
    const name = createUploadId(filename);
    const uploadId = await this.#store.begin(this.#objectOf(name, caller), filetype);
    const id = Buffer.from(JSON.stringify([name, uploadId, bytes])).toString('base64url');
    return this.#viewOf(this.#open(id, caller), []);
  }

  async view(id: string, caller: Caller): Promise<S3UploadView> {
    const upload = this.#open(id, caller);
    const stored = await this.#store.listParts(upload.object, upload.uploadId);
    if (stored === undefined) throw noSuchUpload();
    return this.#viewOf(upload, stored);
  }

  async sign(id: string, parts: readonly number[], caller: Caller): Promise<S3PartUrls> {
    const { object, uploadId, bytes } = this.#open(id, caller);
    const { parts: count } = planOf(bytes);
    const beyond = parts.find((part) => part > count);
    if (beyond !== undefined) {
      throw new ProblemError('invalid_request', `The upload has ${count} parts, and no part ${beyond}.`);
    }
    const signed = await Promise.all(
      parts.map(async (part) => {
        const wanted = { uploadId, part, bytes: bytesOfPart(part, bytes) };
        return { part, ...(await this.#store.signPart(object, wanted, expiresSeconds)) };
      }),
    );
    const expiresAtMs = Math.min(...signed.map((url) => url.expiresAtMs));
    return { urls: signed.map(({ part, url }) => ({ part, url })), expiresAt: new Date(expiresAtMs).toISOString() };
  }

  /** Also where it is complete already, or is being completed: the answer of before may have been lost. */
  async complete(id: string, caller: Caller): Promise<CompletedS3Upload> {
    const upload = this.#open(id, caller);
    const { object, uploadId, bytes } = upload;
    const name = JSON.stringify([object.key, uploadId, bytes]);
    const completing = this.#completing.get(name) ?? this.#complete(upload);
    this.#completing.set(name, completing);
    try {
      return await completing;
    } finally {
      this.#completing.delete(name);
    }
  }

  async #complete({ object, uploadId, bytes }: OpenUpload): Promise<CompletedS3Upload> {
    const completed = { source: urlOf(object), bytes };
    const stored = await this.#store.listParts(object, uploadId);
    const whole = wholeParts(stored ?? [], bytes);
    const missing = planOf(bytes).parts - whole.length;
    if (missing > 0) {
      // Of one that is complete a store may still list parts that came late, as of a second page that sent the same file.
      if ((await this.#store.sizeOf(object)) === bytes) return completed;
      if (stored === undefined) throw noSuchUpload();
      throw new ProblemError(
        'upload_unfinished',
        `The bucket lacks ${missing} of the ${planOf(bytes).parts} parts of this upload. Send them before you complete it.`,
      );
    }
    await this.#store.complete(object, uploadId, whole);
    return completed;
  }

  /** What was sent of it is removed. */
  async remove(id: string, caller: Caller): Promise<void> {
    const { object, uploadId } = this.#open(id, caller);
    await this.#store.abort(object, uploadId);
  }

  /** Ends what nobody goes on with, of those uploads that the server has begun. */
  async sweep(now = Date.now()): Promise<void> {
    for await (const { object, uploadId, startedAtMs } of this.#store.unfinished(this.#prefix)) {
      if (now - startedAtMs < unfinishedKeptMs || this.nameOf(object) === undefined) continue;
      await this.#store.abort(object, uploadId);
    }
  }

  /** Throws where a URL in an input names another owner's upload: to the caller it does not exist. */
  requireOwn(url: string, caller: Caller): void {
    const object = isS3Url(url) ? parseS3Url(url) : undefined;
    if (object === undefined || caller.owner === undefined || object.bucket !== this.#prefix.bucket) return;
    if (!isPlainKey(object.key)) {
      throw new ProblemError('invalid_request', 'An s3:// URL may have no . or .. between its slashes here.');
    }
    // Stores that keep objects as files take `a//b` for `a/b`.
    const merged = { ...object, key: object.key.replace(/^\/+/, '').replaceAll(/\/{2,}/g, '/') };
    const isHere = isUnder(this.#prefix, object) || isUnder(this.#prefix, merged);
    if (isHere && !this.isOwn(object, caller)) throw noSuchUpload();
  }

  isOwn(object: S3Object, { owner }: Caller): boolean {
    const { bucket, key } = this.#prefix;
    return isPlainKey(object.key) && isUnder({ bucket, key: `${key}${folderOf(owner)}/` }, object);
  }

  /** As an upload of the server's own is named; undefined of any other object. */
  nameOf(object: S3Object): string | undefined {
    if (!isUnder(this.#prefix, object)) return undefined;
    const [folder = '', name = '', ...more] = object.key.slice(this.#prefix.key.length).split('/');
    return /^(?:shared|owner-[\w-]{22})$/.test(folder) && isUploadId(name) && more.length === 0 ? name : undefined;
  }

  #objectOf(name: string, { owner }: Caller): S3Object {
    return { bucket: this.#prefix.bucket, key: `${this.#prefix.key}${folderOf(owner)}/${name}` };
  }

  #open(id: string, caller: Caller): OpenUpload {
    const [name, uploadId, bytes] = OpenedId.safeParse(parseJson(Buffer.from(id, 'base64url').toString())).data ?? [];
    if (name === undefined || uploadId === undefined || bytes === undefined) throw noSuchUpload();
    // Nobody has signed the id: what it says counts for objects of the caller alone, and the store knows which uploads these have.
    requireUploadSize(bytes, this.maxBytes, 'The upload');
    return { id, object: this.#objectOf(name, caller), uploadId, bytes };
  }

  #viewOf({ id, object, bytes }: OpenUpload, stored: readonly StoredPart[]): S3UploadView {
    const { parts, partSize } = planOf(bytes);
    const uploaded = wholeParts(stored, bytes).map(({ part }) => part);
    return { id, source: urlOf(object), bytes, parts, partBytes: partSize, uploaded };
  }
}

function planOf(bytes: number): { parts: number; partSize: number } {
  return planParts(bytes, partSizes) ?? { parts: 1, partSize: bytes };
}

function bytesOfPart(part: number, bytes: number): number {
  const { partSize } = planOf(bytes);
  return Math.min(partSize, bytes - (part - 1) * partSize);
}

/** Stores list them in order. */
function wholeParts(stored: readonly StoredPart[], bytes: number): StoredPart[] {
  const { parts } = planOf(bytes);
  return stored.filter(({ part, bytes: there }) => part <= parts && there === bytesOfPart(part, bytes));
}

/** An owner may be any text. */
function folderOf(owner: string | undefined): string {
  if (owner === undefined) return 'shared';
  return `owner-${createHash('sha256').update(owner).digest('base64url').slice(0, 22)}`;
}

function urlOf({ bucket, key }: S3Object): string {
  return `s3://${bucket}/${key}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noSuchUpload(): ProblemError {
  return new ProblemError('not_found', 'There is no such upload here, or it was completed or removed since.');
}
