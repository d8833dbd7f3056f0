import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Metadata, type ServerOptions, type Upload } from '@tus/server';
import type { Request, Response } from 'express';
import { definedFields } from '../../contract/defined-fields.ts';
import { decodedPart } from '../../contract/url-part.ts';
import { callerOf } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { ProblemError, shownId } from '../problem-error.ts';
import { GuardedStore } from './guarded-store.ts';
import { TusServer } from './tus-server.ts';
import { requireMedia, requireUploadSize } from './upload-limits.ts';
import { createUploadId, fileNameOfUpload, isUploadId, randomPartOfUpload } from './upload-name.ts';

export const tusVersion = '1.0.0';

/** Nobody resumes an older upload. */
const unfinishedKeptMs = 24 * 3_600_000;

export interface UploadsOptions {
  folder: string;
  maxBytes: number;
  /** Time until a finished upload is deleted. */
  keptMs: number;
  freeBytes?: () => Promise<number>;
}

type TusRequest = Parameters<NonNullable<ServerOptions['onUploadCreate']>>[0];

/** Resumable uploads by tus 1.0. They survive a restart of this process. */
export class Uploads {
  readonly maxBytes: number;
  readonly #folder: string;
  readonly #keptMs: number;
  readonly #store: GuardedStore;
  readonly #tus: TusServer;
  /** Ids of the uploads that requests have created. */
  readonly #created = new WeakMap<object, string>();

  constructor({ folder, maxBytes, keptMs, freeBytes }: UploadsOptions) {
    this.maxBytes = maxBytes;
    this.#folder = folder;
    this.#keptMs = keptMs;
    // An expiry by tus would count from the start of an upload, also of one that progresses or is finished.
    this.#store = new GuardedStore({ directory: folder }, freeBytes);
    this.#tus = new TusServer({
      path: '/api/uploads',
      datastore: this.#store,
      // Headers hold ASCII only.
      generateUrl: (_request, { path, id }) => `${path}/${encodeURIComponent(id)}`,
      // tus would read the id from the end of the query, so the owner of another upload would have been checked.
      getFileIdFromRequest: ({ url }) => idIn(new URL(url).pathname),
      maxSize: maxBytes,
      // Pages of other origins may not upload.
      allowedOrigins: () => false,
      namingFunction: (_request, metadata) => createUploadId(metadata?.['filename'] ?? ''),
      onUploadCreate: async (request, upload) => {
        const node = nodeRequestOf(request);
        this.#created.set(node, upload.id);
        return await Promise.resolve({ metadata: metadataOf(node, upload) });
      },
    });
  }

  /** Throws a ProblemError before it reads the body. */
  async handle(request: Request, response: Response, caller: Caller): Promise<void> {
    const id = idIn(request.path);
    response.set({ 'Tus-Resumable': tusVersion, 'Tus-Version': tusVersion });
    if (id !== undefined) await this.#checkMore(request, await this.#find(id, caller));
    else if (request.method === 'POST') await this.#checkNew(request);
    try {
      await this.#tus.handle(request, response);
    } catch (error) {
      // Nobody reads the rest of a rejected request.
      response.set('Connection', 'close');
      // No answer has named the upload of a rejected POST, so nobody can continue it.
      const created = this.#created.get(request);
      if (created !== undefined) await this.#remove(created);
      throw error;
    }
  }

  /**
   * Returns the path of a finished upload, and keeps the upload for `keptMs` from now. `shown`: its id, plain or encoded as
   * in `Location`; no id contains `%`.
   */
  async finished(shown: string, caller: Caller): Promise<string> {
    const { id, size, offset } = await this.#find(decodedPart(shown), caller);
    if (size === undefined || offset < size) {
      throw new ProblemError(
        'upload_unfinished',
        `The upload ${shownId(id)} is not finished. Send the rest before you start a run with it.`,
      );
    }
    await this.markUsed(id);
    return this.pathOf(shown);
  }

  /** Path that `finished` returns while the upload exists. */
  pathOf(shown: string): string {
    return join(this.#folder, decodedPart(shown));
  }

  /** Keeps a finished upload for `keptMs` from now. */
  async markUsed(id: string): Promise<void> {
    if (!isUploadId(id)) return;
    // Containers identify the file itself by its time. Unlike `utimes`, a write of the first character needs no owner.
    const facts = await open(join(this.#folder, `${id}.json`), 'r+').catch(() => undefined);
    try {
      await facts?.write('{', 0);
    } finally {
      await facts?.close();
    }
  }

  /**
   * Deletes abandoned uploads, and expired ones that no open run uses. `readOpenNames` returns random parts of uploads that
   * open runs use; it is called only if a finished upload is old.
   */
  async sweep(
    now = Date.now(),
    readOpenNames: () => Promise<ReadonlySet<string>> = async () => new Set(),
  ): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const there = new Set(names);
    // Each upload has a .json file of facts beside it; the upload's own name may also end in .json.
    const isFacts = (name: string): boolean => name.endsWith('.json') && !there.has(`${name}.json`);
    const ids = new Set(names.map((name) => (isFacts(name) ? name.slice(0, -'.json'.length) : name)));
    const expired: string[] = [];
    for (const id of ids) {
      const old = isUploadId(id) ? await this.#findOld(id, now) : undefined;
      if (old === 'finished') expired.push(id);
      if (old === 'unfinished') await this.#remove(id);
    }
    if (expired.length === 0) return;
    const open = await readOpenNames();
    for (const id of expired) {
      // A run of the upload may have started since.
      const isUsed = open.has(randomPartOfUpload(id)) || (await this.#findOld(id, now)) === undefined;
      if (!isUsed) await this.#remove(id);
    }
  }

  async #findOld(id: string, now: number): Promise<'finished' | 'unfinished' | undefined> {
    const path = join(this.#folder, id);
    const usedMs = async (file: string): Promise<number> =>
      await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
    const [upload, fileMs, factsMs] = await Promise.all([
      this.#store.getUpload(id).catch(() => undefined),
      usedMs(path),
      usedMs(`${path}.json`),
    ]);
    // Facts that cannot be read now may be those of a finished upload.
    const isFinished = upload === undefined ? factsMs > 0 : upload.size !== undefined && upload.offset >= upload.size;
    const lastMs = Math.max(fileMs, factsMs);
    if (lastMs === 0 || now - lastMs < (isFinished ? this.#keptMs : unfinishedKeptMs)) return undefined;
    return isFinished ? 'finished' : 'unfinished';
  }

  async #remove(id: string): Promise<void> {
    const path = join(this.#folder, id);
    await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
  }

  async #find(id: string, caller: Caller): Promise<Upload> {
    const upload = isUploadId(id) ? await this.#store.getUpload(id).catch(() => undefined) : undefined;
    const owner = upload?.metadata?.['owner'] ?? undefined;
    if (upload === undefined || (caller.owner !== undefined && caller.owner !== owner)) {
      throw new ProblemError('not_found', `The upload ${shownId(id)} does not exist, or it was removed.`);
    }
    return upload;
  }

  async #checkNew(request: Request): Promise<void> {
    const { filename, filetype } = readMetadata(request.get('Upload-Metadata'));
    const shown = shownId(filename ?? 'the file');
    requireMedia(filetype, shown);
    const bytes = declaredBytes(request.get('Upload-Length') ?? '0');
    requireUploadSize(bytes, this.maxBytes, shown);
    await this.#store.requireRoom(bytes, shown);
  }

  /** Checks the disk again: the upload may have begun without its length, or long ago. */
  async #checkMore(request: Request, { id, size, offset }: Upload): Promise<void> {
    if (request.method !== 'PATCH') return;
    const declared = declaredBytes(request.get('Upload-Length') ?? String(size ?? 0)) - offset;
    const bytes = Math.max(declared, Number(request.get('Content-Length') ?? 0));
    await this.#store.requireRoom(bytes, shownId(fileNameOfUpload(id)));
  }
}

/** The caller's facts about the file, and its owner. */
function metadataOf(request: object, { metadata = {} }: Upload): Record<string, string | null> {
  const { filename, filetype } = metadata;
  return definedFields({ filename, filetype, owner: callerOf(request).owner });
}

function nodeRequestOf({ runtime }: TusRequest): object {
  if (runtime?.node === undefined) throw new Error('an upload arrives over HTTP');
  return runtime.node.req;
}

/** tus requires a non-negative integer. */
function declaredBytes(length: string): number {
  if (/^\d+$/.test(length)) return Number(length);
  throw new ProblemError('invalid_request', 'Upload-Length must be a whole number of bytes.');
}

function readMetadata(header: string | undefined): Record<string, string | null> {
  try {
    return header === undefined ? {} : Metadata.parse(header);
  } catch {
    throw new ProblemError('invalid_request', 'Upload-Metadata must follow tus: names with Base64 values.');
  }
}

function idIn(path: string): string | undefined {
  const encoded = /^\/api\/uploads\/([^/]+)\/?$/i.exec(path)?.[1];
  return encoded === undefined ? undefined : decodedPart(encoded);
}
