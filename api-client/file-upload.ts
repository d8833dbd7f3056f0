/** Milliseconds before each retry. After the last one `send` throws; the server or the bucket keeps what was sent. */
export const retryDelaysMs = [0, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000];

export interface FileUploadOptions {
  /** Defaults to the name of a `File`. */
  name?: string;
  /** Media type; defaults to that of the file. */
  type?: string;
  onProgress?: (sentBytes: number) => void;
  /** Pauses the upload. */
  signal?: AbortSignal;
}

export interface FileUpload {
  /** Id at the server, once the upload has begun. Two uploads of the same file may be one at the server. */
  readonly id: string | undefined;
  /**
   * Sends the missing part of the file. The answer, `upload:<id>` or the URL of an object, is a `sourceUrl` for the input of a run. Throws a
   * HoldfastError if the server refuses the file or stays unreachable, and an AbortError if the upload was paused.
   */
  send(): Promise<string>;
  /** Makes `send` throw an AbortError; the next `send` resumes the upload. */
  pause(): Promise<void>;
  /** Deletes what was already sent. A finished upload stays, because a run may use it. */
  remove(): Promise<void>;
}

export function nameOf(file: Blob, { name }: FileUploadOptions): string {
  return name ?? (file instanceof File ? file.name : 'file');
}
