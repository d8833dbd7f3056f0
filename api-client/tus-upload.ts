import { DetailedError, type FileReader, Upload, type UploadOptions as TusOptions } from 'tus-js-client';
import type { Problem } from '../contract/server/problem.ts';
import type { ServerConnection } from './connection.ts';
import { HoldfastError } from './holdfast-error.ts';
import { type FileUpload, type FileUploadOptions, nameOf, retryDelaysMs } from './file-upload.ts';

/** Bytes that Node reads of a file at a time. */
const pieceBytes = 8 * 1024 * 1024;

export interface TusUploadOptions extends FileUploadOptions {
  to?: 'server';
  /** A browser remembers the finished upload as well, and does not send the same file again. The caller removes the entry. */
  rememberFinished?: boolean;
}

/** An upload to the server by tus 1.0. It resumes after a break, in a browser even after the page was closed. */
export class TusUpload implements FileUpload {
  readonly #connection: ServerConnection;
  readonly #options: TusOptions;
  readonly #file: Blob;
  readonly #signal: AbortSignal | undefined;
  #upload: Upload | undefined;
  #stop: ((reason: Error) => void) | undefined;

  constructor(connection: ServerConnection, file: Blob, options: TusUploadOptions) {
    const { type, onProgress, signal } = options;
    this.#connection = connection;
    this.#file = file;
    this.#signal = signal;
    this.#options = {
      endpoint: connection.urlOf('/api/uploads'),
      retryDelays: retryDelaysMs,
      removeFingerprintOnSuccess: options.rememberFinished !== true,
      metadata: { filename: nameOf(file, options), filetype: type ?? file.type },
      onBeforeRequest: (request) => {
        for (const [header, value] of Object.entries(connection.headers())) request.setHeader(header, value);
      },
      ...(onProgress !== undefined && { onProgress }),
      ...(!('XMLHttpRequest' in globalThis) && { fileReader: blobReader, chunkSize: pieceBytes }),
    };
  }

  get id(): string | undefined {
    const url = this.#upload?.url;
    return typeof url === 'string' ? decodeURIComponent(url.split('/').at(-1) ?? '') : undefined;
  }

  async send(): Promise<string> {
    this.#signal?.throwIfAborted();
    const upload = (this.#upload ??= await this.#create());
    const onAbort = (): void => void this.pause();
    try {
      await new Promise<void>((resolve, reject) => {
        this.#stop = reject;
        upload.options.onSuccess = () => resolve();
        upload.options.onError = (error) => reject(refusalOf(error));
        this.#signal?.addEventListener('abort', onAbort);
        upload.start();
      });
    } finally {
      this.#stop = undefined;
      this.#signal?.removeEventListener('abort', onAbort);
    }
    return `upload:${this.id ?? ''}`;
  }

  async pause(): Promise<void> {
    this.#stop?.(new DOMException('The upload was paused.', 'AbortError'));
    await this.#upload?.abort();
  }

  async remove(): Promise<void> {
    this.#stop?.(new DOMException('The upload was removed.', 'AbortError'));
    await this.#upload?.abort();
    if (!(await this.#isFinished())) await this.#upload?.abort(true);
  }

  /** Another tab of the browser may have sent the rest. */
  async #isFinished(): Promise<boolean> {
    if (this.id === undefined) return false;
    const path = `/api/uploads/${encodeURIComponent(this.id)}`;
    const headers = { 'Tus-Resumable': '1.0.0' };
    const answer = await this.#connection.request('HEAD', path, { headers }).catch(() => undefined);
    return answer?.headers.get('Upload-Offset') === String(this.#file.size);
  }

  /** Resumes an unfinished upload of the same file from an earlier visit, if there is one. */
  async #create(): Promise<Upload> {
    const upload = new Upload(this.#file, this.#options);
    const [earlier] = await upload.findPreviousUploads();
    if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
    return upload;
  }
}

function refusalOf(error: Error | DetailedError): HoldfastError {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  const problem = problemIn(response?.getBody() ?? '');
  return new HoldfastError(
    problem?.detail ?? 'The upload was interrupted. The server keeps what was sent: send it again to resume.',
    { status: response?.getStatus() ?? 0, cause: error, ...(problem !== undefined && { problem }) },
  );
}

function problemIn(body: string): Partial<Problem> | undefined {
  try {
    return JSON.parse(body) as Partial<Problem>;
  } catch {
    return undefined;
  }
}

/** tus-js-client in Node cannot read Blobs, such as those of `fs.openAsBlob`. */
const blobReader: FileReader = {
  openFile: async (blob: Blob) =>
    await Promise.resolve({
      size: blob.size,
      slice: async (start, end) => {
        const bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
        return { value: Object.assign(bytes, { size: bytes.length }), done: end >= blob.size };
      },
      close: () => undefined,
    }),
};
