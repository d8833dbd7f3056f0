import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { planParts } from '../../contract/part-plan.ts';
import type { CompletedS3Upload, S3PartUrls, S3UploadRequest, S3UploadView } from '../../contract/server/s3-upload.ts';
import { parseJson } from '../../contract/unknown-values.ts';
import { retryDelaysMs } from '../../process/retry.ts';
import type { Stores } from '../../stores/backends.ts';
import { isUnder, parseObjectUrl } from '../../stores/object-url.ts';
import { isPlainKey } from '../../stores/plain-key.ts';
import type { SigningStore, StoredPart } from '../../stores/store.ts';
import type { Caller } from '../access/caller.ts';
import { requireMedia, requireUploadSize } from '../files/upload-limits.ts';
import { createUploadId, isUploadId } from '../files/upload-name.ts';
import { ProblemError, shownId } from '../problem-error.ts';
import { askStore } from './ask-store.ts';

/** Counted from the last part of an upload, or from its start if the store does not report when parts were stored. */
const unfinishedKeptMs = 24 * 3_600_000;
/** Lifetime of a part's URL. A part takes about a minute on a slow line. */
export const partUrlSeconds = 3600;
/** Every upload is a multipart upload. After an error, a browser sends the whole part again. */
const partSizes = { largestSinglePutBytes: 0, usualPartBytes: 8 * 1024 ** 2 };

/** The caller waits for the run. */
const shortTimeoutMs = 3_000;
/** A store may need minutes to join the parts of a large file or to list many uploads. */
const longTimeoutMs = 5 * 60_000;

/** Some stores keep an upload in a folder named by its id; `..` in the id would lead to other owners' uploads. */
const StoreUploadId = z.string().min(1).max(2000).refine(isPlainKey);
const OpenedId = z.tuple([z.string().refine(isUploadId), StoreUploadId, z.number().int().min(1)]);

interface OpenUpload {
  id: string;
  url: string;
  uploadId: string;
  bytes: number;
}

/**
 * Uploads of browsers and programs straight to a bucket, in parts by URLs that the server signs. Each owner has a
 * folder, so the key shows who may resume or use an upload. Only the store keeps the state of an upload.
 */
export class BucketUploads {
  readonly maxBytes: number;
  readonly #stores: Stores;
  readonly #prefix: string;
  /** While a store joins the parts, it may know neither the upload nor the object. */
  readonly #completing = new Map<string, Promise<CompletedS3Upload>>();

  constructor({ stores, prefix, maxBytes }: { stores: Stores; prefix: string; maxBytes: number }) {
    this.maxBytes = maxBytes;
    this.#stores = stores;
    this.#prefix = prefix;
  }

  async begin({ filename, filetype, bytes }: S3UploadRequest, caller: Caller): Promise<S3UploadView> {
    requireMedia(filetype, shownId(filename));
    requireUploadSize(bytes, this.maxBytes, shownId(filename));
    const name = createUploadId(filename);
    const url = this.#urlOf(name, caller);
    const uploadId = await this.#ask((store, signal) => store.beginUpload(url, { contentType: filetype }, signal));
    const id = Buffer.from(JSON.stringify([name, uploadId, bytes])).toString('base64url');
    return this.#viewOf(this.#open(id, caller), []);
  }

  async view(id: string, caller: Caller): Promise<S3UploadView> {
    const upload = this.#open(id, caller);
    const stored = await this.#listParts(upload);
    if (stored === undefined) throw noSuchUpload();
    return this.#viewOf(upload, stored);
  }

  async sign(id: string, parts: readonly number[], caller: Caller): Promise<S3PartUrls> {
    const { url, uploadId, bytes } = this.#open(id, caller);
    const { parts: count } = planOf(bytes);
    const beyond = parts.find((part) => part > count);
    if (beyond !== undefined) {
      throw new ProblemError('invalid_request', `The upload has ${count} parts; part ${beyond} does not exist.`);
    }
    const signed = await Promise.all(
      parts.map(async (part) => {
        const request = { kind: 'part', uploadId, part, bytes: bytesOfPart(part, bytes) } as const;
        return { part, ...(await this.#ask((store) => store.sign(url, request), shortTimeoutMs)) };
      }),
    );
    const expiresAtMs = Math.min(...signed.map((url) => url.expiresAtMs));
    return { urls: signed.map(({ part, url }) => ({ part, url })), expiresAt: new Date(expiresAtMs).toISOString() };
  }

  /**
   * Succeeds again for a completed upload and joins a running completion, because an earlier answer may have been lost.
   */
  async complete(id: string, caller: Caller): Promise<CompletedS3Upload> {
    const upload = this.#open(id, caller);
    const name = JSON.stringify([upload.url, upload.uploadId, upload.bytes]);
    const completing = this.#completing.get(name) ?? this.#complete(upload);
    this.#completing.set(name, completing);
    try {
      return await completing;
    } finally {
      this.#completing.delete(name);
    }
  }

  async #complete(upload: OpenUpload): Promise<CompletedS3Upload> {
    const { url, uploadId, bytes } = upload;
    const completed = { source: url, bytes };
    const stored = await this.#listParts(upload);
    const whole = wholeParts(stored ?? [], bytes);
    const missing = planOf(bytes).parts - whole.length;
    if (missing > 0) {
      // A store may still list parts of a completed upload, for example late parts from a second page that sent the
      // same file.
      const size = await this.#ask((store, signal) => store.sizeOf(url, signal), shortTimeoutMs);
      if (size === bytes) return completed;
      if (stored === undefined) throw noSuchUpload();
      throw new ProblemError(
        'upload_unfinished',
        `The bucket lacks ${missing} of the ${planOf(bytes).parts} parts of this upload. Send them before you complete it.`,
      );
    }
    await this.#ask((store, signal) => store.completeUpload(url, uploadId, whole, signal), longTimeoutMs);
    return completed;
  }

  async remove(id: string, caller: Caller): Promise<void> {
    await this.#abort(this.#open(id, caller));
  }

  /** Aborts old uploads that nobody resumes. Uploads that the server did not create stay. */
  async sweep(now = Date.now()): Promise<void> {
    const uploads = await this.#ask((store, signal) => store.listUploads(this.#prefix, signal), longTimeoutMs);
    for (const upload of uploads) {
      if (now - upload.startedAtMs < unfinishedKeptMs || this.nameOf(upload.url) === undefined) continue;
      const parts = (await this.#listParts(upload)) ?? [];
      const isInProgress = parts.some(({ storedAtMs }) => now - (storedAtMs ?? 0) < unfinishedKeptMs);
      if (!isInProgress) await this.#abort(upload);
    }
  }

  /** Throws if a URL of an input names another owner's upload, as if that upload did not exist. */
  requireOwn(url: string, caller: Caller): void {
    const { root = this.#prefix } = parseObjectUrl(`${this.#prefix}-`) ?? {};
    if (caller.owner === undefined || !url.startsWith(root)) return;
    // Such a URL names no object for workers, but may name one for another program.
    if (!isPlainKey(url)) {
      throw new ProblemError('invalid_request', 'The URL of an object must have no . or .. as a part of its path.');
    }
    const object = parseObjectUrl(url);
    if (object === undefined) return;
    // Stores that keep objects as files read `a//b` as `a/b`.
    const merged = object.root + object.key.replace(/^\/+/, '').replaceAll(/\/{2,}/g, '/');
    const isHere = isUnder(this.#prefix, url) || isUnder(this.#prefix, merged);
    if (isHere && !this.isOwn(url, caller)) throw noSuchUpload();
  }

  isOwn(url: string, { owner }: Pick<Caller, 'owner'>): boolean {
    return isPlainKey(parseObjectUrl(url)?.key ?? '..') && isUnder(`${this.#prefix}${folderOf(owner)}/`, url);
  }

  /** The name of one of the server's own uploads; undefined for any other object. */
  nameOf(url: string): string | undefined {
    if (!isUnder(this.#prefix, url)) return undefined;
    const [folder = '', name = '', ...more] = url.slice(this.#prefix.length).split('/');
    return /^(?:shared|owner-[\w-]{22})$/.test(folder) && isUploadId(name) && more.length === 0 ? name : undefined;
  }

  async #ask<Answer>(
    ask: (store: SigningStore, signal: AbortSignal) => Promise<Answer>,
    timeoutMs?: number,
  ): Promise<Answer> {
    return await askStore(this.#stores, this.#prefix, ask, timeoutMs);
  }

  async #listParts({ url, uploadId }: Pick<OpenUpload, 'url' | 'uploadId'>): Promise<StoredPart[] | undefined> {
    return await this.#ask((store, signal) => store.listParts(url, uploadId, signal));
  }

  /** Repeats the abort while parts in transit arrive: AWS recommends it, and versitygw would keep the parts. */
  async #abort(upload: Pick<OpenUpload, 'url' | 'uploadId'>): Promise<void> {
    for (const pauseMs of retryDelaysMs.abort) {
      // The random name of the object makes this upload its only writer.
      await this.#ask((store, signal) =>
        store.abortUpload(upload.url, upload.uploadId, signal, { isOnlyWriter: true }),
      );
      await delay(pauseMs);
      if (((await this.#listParts(upload)) ?? []).length === 0) return;
    }
  }

  #urlOf(name: string, { owner }: Caller): string {
    return `${this.#prefix}${folderOf(owner)}/${name}`;
  }

  #open(id: string, caller: Caller): OpenUpload {
    const [name, uploadId, bytes] = OpenedId.safeParse(parseJson(Buffer.from(id, 'base64url').toString())).data ?? [];
    if (name === undefined || uploadId === undefined || bytes === undefined) throw noSuchUpload();
    // The id is not signed, but it can name only objects of the caller, and the store knows their uploads.
    requireUploadSize(bytes, this.maxBytes, 'The upload');
    return { id, url: this.#urlOf(name, caller), uploadId, bytes };
  }

  #viewOf({ id, url, bytes }: OpenUpload, stored: readonly StoredPart[]): S3UploadView {
    const { parts, partSize } = planOf(bytes);
    const uploaded = wholeParts(stored, bytes).map(({ part }) => part);
    return { id, source: url, bytes, parts, partBytes: partSize, uploaded };
  }
}

function planOf(bytes: number): { parts: number; partSize: number } {
  return planParts(bytes, partSizes) ?? { parts: 1, partSize: bytes };
}

function bytesOfPart(part: number, bytes: number): number {
  const { partSize } = planOf(bytes);
  return Math.min(partSize, bytes - (part - 1) * partSize);
}

function wholeParts(stored: readonly StoredPart[], bytes: number): StoredPart[] {
  const { parts } = planOf(bytes);
  return stored.filter(({ part, bytes: there }) => part <= parts && there === bytesOfPart(part, bytes));
}

/** A hash, because an owner may be any text. */
function folderOf(owner: string | undefined): string {
  if (owner === undefined) return 'shared';
  return `owner-${createHash('sha256').update(owner).digest('base64url').slice(0, 22)}`;
}

function noSuchUpload(): ProblemError {
  return new ProblemError('not_found', 'This upload does not exist, or it was completed or removed.');
}
