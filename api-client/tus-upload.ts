import { DetailedError, type FileReader, Upload, type UploadOptions as TusOptions } from 'tus-js-client';
import type { Problem } from '../contract/server/problem.ts';
import type { ServerConnection } from './connection.ts';
import { HoldfastError } from './holdfast-error.ts';
import type { FileUpload, FileUploadOptions } from './upload.ts';

/** After them `send` throws, and a person decides. What was sent stays at the server. */
const retryDelaysMs = [0, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000];
/** Node reads so much of a file at a time. */
const pieceBytes = 8 * 1024 * 1024;

/** A file on its way to the server by tus 1.0: what was cut goes on where it stopped, in a browser also after the page was closed. */
export class TusUpload implements FileUpload {
  readonly #options: TusOptions;
  readonly #file: Blob;
  readonly #signal: AbortSignal | undefined;
  #upload: Upload | undefined;
  #stop: ((reason: Error) => void) | undefined;

  constructor(connection: ServerConnection, file: Blob, { name, type, onProgress, signal }: FileUploadOptions) {
    const filename = name ?? (file instanceof File ? file.name : 'file');
    this.#file = file;
    this.#signal = signal;
    this.#options = {
      ...{ endpoint: connection.urlOf('/api/uploads'), retryDelays: retryDelaysMs, removeFingerprintOnSuccess: true },
      metadata: { filename, filetype: type ?? file.type },
      onBeforeRequest: (request) => {
        for (const [header, value] of Object.entries(connection.headers())) request.setHeader(header, value);
      },
      ...(onProgress !== undefined && { onProgress }),
      ...(!('XMLHttpRequest' in globalThis) && { fileReader: blobReader, chunkSize: pieceBytes }),
    };
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
    return `upload:${decodeURIComponent(upload.url?.split('/').at(-1) ?? '')}`;
  }

  async pause(): Promise<void> {
    this.#stop?.(new DOMException('The upload was paused.', 'AbortError'));
    await this.#upload?.abort();
  }

  async remove(): Promise<void> {
    this.#stop?.(new DOMException('The upload was removed.', 'AbortError'));
    await this.#upload?.abort(true);
  }

  /** Or the one of the same file that was cut when the page was closed. */
  async #create(): Promise<Upload> {
    const upload = new Upload(this.#file, this.#options);
    const [earlier] = await upload.findPreviousUploads();
    if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
    return upload;
  }
}

/** tus itself answers in a few words for programs. */
function refusalOf(error: Error | DetailedError): HoldfastError {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  const problem = problemIn(response?.getBody() ?? '');
  return new HoldfastError(
    problem?.detail ?? 'The upload was cut. What was sent is kept: it goes on when it is sent again.',
    {
      ...{ status: response?.getStatus() ?? 0, cause: error },
      ...(problem !== undefined && { problem }),
    },
  );
}

function problemIn(body: string): Partial<Problem> | undefined {
  try {
    return JSON.parse(body) as Partial<Problem>;
  } catch {
    return undefined;
  }
}

/** tus-js-client reads in Node no Blob, which is what `fs.openAsBlob` gives. */
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
