import { DefaultHttpStack } from 'tus-js-client';
import type { CompletedS3Upload, S3PartUrls, S3UploadRequest, S3UploadView } from '../contract/server/s3-upload.ts';
import type { ServerConnection } from './connection.ts';
import { HoldfastError } from './holdfast-error.ts';
import type { FileUpload, FileUploadOptions } from './upload.ts';

/** After them it throws, and a person decides. What was sent stays in the bucket. */
const retryDelaysMs = [0, 1_000, 3_000, 5_000, 10_000, 20_000];
/** A line is rarely full with one. */
const partsAtOnce = 3;

/** An upload to a bucket, with the numbers of the parts that the bucket has confirmed. */
export interface BegunS3Upload {
  id: string;
  parts: readonly number[];
}

export interface S3UploadOptions extends FileUploadOptions {
  to: 's3';
  /**
   * Of the same file, as `onBegun` had it last: an upload that was cut goes on with the parts that are missing, or begins anew where the
   * server no longer has it.
   */
  begun?: BegunS3Upload | undefined;
  /** Called when it has begun, and with each part. */
  onBegun?: (begun: BegunS3Upload) => void;
}

interface PartProgress {
  signal: AbortSignal;
  onProgress: (sentBytes: number) => void;
}

/** A file on its way in parts straight to the bucket of the server, which signs each part. */
export class S3Upload implements FileUpload {
  readonly #connection: ServerConnection;
  readonly #file: Blob;
  readonly #options: S3UploadOptions;
  #id: string | undefined;
  /** The bucket may list others as whole, of which it has a beginning: versitygw 1.8 does so where a line breaks. */
  #confirmed: ReadonlySet<number>;
  #source: string | undefined;
  #paused = new AbortController();

  constructor(connection: ServerConnection, file: Blob, options: S3UploadOptions) {
    this.#connection = connection;
    this.#file = file;
    this.#options = options;
    this.#id = options.begun?.id;
    this.#confirmed = new Set(options.begun?.parts);
  }

  async send(): Promise<string> {
    if (this.#source !== undefined) return this.#source;
    this.#paused = new AbortController();
    const signal = AbortSignal.any([this.#paused.signal, ...(this.#options.signal ? [this.#options.signal] : [])]);
    signal.throwIfAborted();
    const isBegun = this.#id !== undefined;
    const begun = isBegun ? await this.#find<S3UploadView>('GET', '', signal) : undefined;
    // Its answer may have been lost: it was paused, or the page closed, while the store put the parts together.
    const completed =
      isBegun && begun === undefined ? await this.#find<CompletedS3Upload>('POST', '/complete', signal) : undefined;
    this.#source = completed?.source ?? (await this.#complete(begun ?? (await this.#begin(signal)), signal));
    return this.#source;
  }

  /** The parts that are on their way are sent again when it goes on. */
  async pause(): Promise<void> {
    this.#paused.abort(new DOMException('The upload was paused.', 'AbortError'));
    await Promise.resolve();
  }

  async remove(): Promise<void> {
    this.#paused.abort(new DOMException('The upload was removed.', 'AbortError'));
    if (this.#id === undefined) return;
    // A store may fail while a part that was on its way still ends there.
    const forget = async (): Promise<Response> => await this.#connection.request('DELETE', this.#path(''));
    await withRetries(forget, this.#options.signal ?? new AbortController().signal);
  }

  /** Undefined where there is none, or it is of another file. */
  async #find<Answer extends { bytes: number }>(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const found = await this.#ask<Answer>(method, path, signal).catch(undefinedIfGone);
    return found?.bytes === this.#file.size ? found : undefined;
  }

  async #begin(signal: AbortSignal): Promise<S3UploadView> {
    const { name, type } = this.#options;
    const filetype = type ?? this.#file.type;
    const body = {
      filename: name ?? (this.#file instanceof File ? this.#file.name : 'file'),
      bytes: this.#file.size,
      ...(filetype !== '' && { filetype }),
    } satisfies S3UploadRequest;
    const response = await this.#connection.request('POST', '/api/uploads/s3', { signal, body });
    const upload = (await response.json()) as S3UploadView;
    this.#id = upload.id;
    this.#confirm([]);
    return upload;
  }

  #confirm(parts: Iterable<number>): void {
    this.#confirmed = new Set(parts);
    this.#options.onBegun?.({ id: this.#id ?? '', parts: [...this.#confirmed] });
  }

  async #complete(upload: S3UploadView, signal: AbortSignal): Promise<string> {
    await this.#sendParts(upload, signal);
    const complete = async (): Promise<CompletedS3Upload> => await this.#ask('POST', '/complete', signal);
    return (await withRetries(complete, signal)).source;
  }

  async #sendParts({ parts, partBytes, uploaded }: S3UploadView, signal: AbortSignal): Promise<void> {
    const partOf = (part: number): Blob => this.#file.slice((part - 1) * partBytes, part * partBytes);
    const there = uploaded.filter((part) => this.#confirmed.has(part));
    const sent = new Map(there.map((part) => [part, partOf(part).size]));
    const tell = (part: number, bytes: number): void => {
      sent.set(part, bytes);
      this.#options.onProgress?.([...sent.values()].reduce((all, some) => all + some, 0));
    };
    const missing = Array.from({ length: parts }, (_, index) => index + 1).filter((part) => !sent.has(part));
    const failed = new AbortController();
    const ended = AbortSignal.any([signal, failed.signal]);
    const sendPart = async (part: number): Promise<void> => {
      const [body, onProgress] = [partOf(part), (bytes: number): void => tell(part, bytes)];
      await withRetries(async () => {
        // Signed when its turn comes: a URL holds for an hour.
        const { urls } = await this.#ask<S3PartUrls>('POST', '/parts', ended, { parts: [part] });
        await put(urls[0]?.url ?? '', body, { signal: ended, onProgress });
      }, ended);
      this.#confirm([...this.#confirmed, part]);
      tell(part, body.size);
    };
    const sendMissing = async (): Promise<void> => {
      for (let part = missing.shift(); part !== undefined; part = missing.shift()) await sendPart(part);
    };
    this.#options.onProgress?.([...sent.values()].reduce((all, some) => all + some, 0));
    try {
      await Promise.all(Array.from({ length: partsAtOnce }, sendMissing));
    } catch (error) {
      // The others are not to go on behind the caller's back.
      missing.length = 0;
      failed.abort(error);
      throw error;
    }
  }

  #path(path: string): string {
    return `/api/uploads/s3/${encodeURIComponent(this.#id ?? '')}${path}`;
  }

  async #ask<Answer>(method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: object): Promise<Answer> {
    const response = await this.#connection.request(method, this.#path(path), { signal, ...(body && { body }) });
    return (await response.json()) as Answer;
  }
}

async function put(url: string, body: Blob, progress: PartProgress): Promise<void> {
  const status = await ('XMLHttpRequest' in globalThis ? putWithProgress : putByFetch)(url, body, progress).catch(
    async (cause: unknown) => {
      if (progress.signal.aborted) throw cause;
      await requireReadable(body);
      throw new HoldfastError('The bucket does not answer, or does not allow this page to send to it (CORS).', {
        ...{ status: 0, cause },
      });
    },
  );
  if (status >= 200 && status < 300) return;
  throw new HoldfastError(`The bucket refused a part of the upload: it answered ${status}.`, { status });
}

/** Of one that was changed since it was opened, browsers and Node give no byte; of a request it looks as if the line was cut. */
async function requireReadable(body: Blob): Promise<void> {
  await body
    .slice(0, 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new Error('The file cannot be read any more: it was changed, moved or removed. Choose it again.', {
        cause,
      });
    });
}

async function putByFetch(url: string, body: Blob, { signal }: PartProgress): Promise<number> {
  const response = await fetch(url, { method: 'PUT', body, signal });
  await response.body?.cancel();
  return response.status;
}

/** In browsers fetch tells nothing of a body that is on its way. */
async function putWithProgress(url: string, body: Blob, { signal, onProgress }: PartProgress): Promise<number> {
  const request = new DefaultHttpStack({}).createRequest('PUT', url);
  request.setProgressHandler((sentBytes) => {
    if (!signal.aborted) onProgress(sentBytes);
  });
  const response = await untilAborted(request.send(body), signal, () => void request.abort());
  return response.getStatus();
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal, onAbort: () => void): Promise<Result> {
  const ended = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
      onAbort();
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { signal: ended.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    ended.abort();
  }
}

/** Of what may pass: a cut line, a store or a server that is away, a URL that has expired. */
async function withRetries<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof HoldfastError) || !mayPass(error)) throw error;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const delay = new Promise<void>((resolve) => (timer = setTimeout(resolve, delayMs)));
    await untilAborted(delay, signal, () => clearTimeout(timer));
  }
  return await act();
}

/** Of a store besides: an upload that was too slow for it (400 `RequestTimeout` at AWS), and a URL that has expired. */
const passingAtStore: ReadonlySet<number> = new Set([400, 403, 408]);

function mayPass({ status, code }: HoldfastError): boolean {
  const isOfStore = code === undefined;
  return status === 0 || status === 429 || status >= 500 || (isOfStore && passingAtStore.has(status));
}

/** Completed, removed, or of another owner. */
function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof HoldfastError) || error.status !== 404) throw error;
}
