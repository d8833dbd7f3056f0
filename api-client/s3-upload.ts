import { DefaultHttpStack } from 'tus-js-client';
import type { CompletedS3Upload, S3PartUrls, S3UploadRequest, S3UploadView } from '../contract/server/s3-upload.ts';
import type { ServerConnection } from './connection.ts';
import { HoldfastError } from './holdfast-error.ts';
import { type FileUpload, type FileUploadOptions, nameOf, retryDelaysMs } from './file-upload.ts';

/** A single request rarely uses the whole bandwidth. */
const partsAtOnce = 3;

/** An unfinished upload to a bucket, with the numbers of the parts that the bucket has confirmed. */
export interface BegunS3Upload {
  id: string;
  parts: readonly number[];
}

export interface S3UploadOptions extends FileUploadOptions {
  to: 's3';
  /** The last value that `onBegun` got for the same file. The upload resumes, or starts again if the server no longer has it. */
  begun?: BegunS3Upload | undefined;
  /** Called at the beginning and after each part. */
  onBegun?: (begun: BegunS3Upload) => void;
}

interface PartProgress {
  signal: AbortSignal;
  onProgress: (sentBytes: number) => void;
}

/** An upload in parts straight to the server's bucket. The server signs each part. */
export class S3Upload implements FileUpload {
  readonly #connection: ServerConnection;
  readonly #file: Blob;
  readonly #options: S3UploadOptions;
  #id: string | undefined;
  /** A bucket may list a partial part as whole: versitygw 1.8 does so after a lost connection. */
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

  get id(): string | undefined {
    return this.#id;
  }

  async send(): Promise<string> {
    if (this.#source !== undefined) return this.#source;
    this.#paused = new AbortController();
    const signal = AbortSignal.any([this.#paused.signal, ...(this.#options.signal ? [this.#options.signal] : [])]);
    signal.throwIfAborted();
    const isBegun = this.#id !== undefined;
    const begun = isBegun ? await this.#find<S3UploadView>('GET', '', signal) : undefined;
    // The answer may have been lost: the upload was paused or the page closed while the store joined the parts.
    const completed =
      isBegun && begun === undefined ? await this.#find<CompletedS3Upload>('POST', '/complete', signal) : undefined;
    this.#source = completed?.source ?? (await this.#complete(begun ?? (await this.#begin(signal)), signal));
    return this.#source;
  }

  /** Unfinished parts are sent again on resume. */
  async pause(): Promise<void> {
    this.#paused.abort(new DOMException('The upload was paused.', 'AbortError'));
    await Promise.resolve();
  }

  async remove(): Promise<void> {
    this.#paused.abort(new DOMException('The upload was removed.', 'AbortError'));
    if (this.#id === undefined) return;
    // A store may fail while it still receives a part.
    const forget = async (): Promise<Response> => await this.#connection.request('DELETE', this.#path(''));
    await withRetries(forget, this.#options.signal ?? new AbortController().signal);
  }

  /** Undefined if the upload does not exist or belongs to another file. */
  async #find<Answer extends { bytes: number }>(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const found = await this.#ask<Answer>(method, path, signal).catch(undefinedIfGone);
    return found?.bytes === this.#file.size ? found : undefined;
  }

  async #begin(signal: AbortSignal): Promise<S3UploadView> {
    const filetype = this.#options.type ?? this.#file.type;
    const body = {
      filename: nameOf(this.#file, this.#options),
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
    // After a lost answer, another server may join the parts. Until its end, a store may know no upload and no file.
    let isAnswerLost = false;
    const mayBeJoining = (error: HoldfastError): boolean => {
      isAnswerLost ||= mayPass(error);
      return mayPass(error) || (isAnswerLost && error.status === 404);
    };
    return (await withRetries(complete, signal, mayBeJoining)).source;
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
        // Signed just in time: a URL expires after an hour.
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
      // After the error is reported, no further part may start.
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
        status: 0,
        cause,
      });
    },
  );
  if (status >= 200 && status < 300) return;
  throw new HoldfastError(`The bucket refused a part of the upload: it answered ${status}.`, { status });
}

/** Browsers and Node cannot read a file that changed after it was opened. A request then fails like a lost connection. */
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

/** `fetch` reports no upload progress in browsers. */
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

/** Retries lost connections, unavailable servers and stores, and expired URLs. */
async function withRetries<Result>(
  act: () => Promise<Result>,
  signal: AbortSignal,
  mayRetry = mayPass,
): Promise<Result> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof HoldfastError) || !mayRetry(error)) throw error;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const delay = new Promise<void>((resolve) => (timer = setTimeout(resolve, delayMs)));
    await untilAborted(delay, signal, () => clearTimeout(timer));
  }
  return await act();
}

/** Temporary errors of stores: an upload was too slow (400 `RequestTimeout` at AWS), or a URL has expired. */
const passingAtStore: ReadonlySet<number> = new Set([400, 403, 408]);

function mayPass({ status, code }: HoldfastError): boolean {
  const isOfStore = code === undefined;
  return status === 0 || status === 429 || status >= 500 || (isOfStore && passingAtStore.has(status));
}

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof HoldfastError) || error.status !== 404) throw error;
}
