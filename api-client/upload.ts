import type { ServerConnection } from './connection.ts';
import { S3Upload, type S3UploadOptions } from './s3-upload.ts';
import { TusUpload } from './tus-upload.ts';

export interface FileUploadOptions {
  /** Of the file; without it that of a `File`. */
  name?: string;
  /** Its media type; without it that of the file. */
  type?: string;
  onProgress?: (sentBytes: number) => void;
  /** Pauses it. */
  signal?: AbortSignal;
}

export type SendFileOptions = (FileUploadOptions & { to?: 'server' }) | S3UploadOptions;

/** A file on its way. */
export interface FileUpload {
  /**
   * Sends what is not there yet. The answer, `upload:<id>` or `s3://…`, is a `sourceUrl` for the input of a run. Throws a HoldfastError where
   * the server refuses it or stays away, and an AbortError where it was paused.
   */
  send(): Promise<string>;
  /** `send` throws an AbortError, and goes on where it stopped when it is called again. */
  pause(): Promise<void>;
  /** What was sent of it is forgotten. */
  remove(): Promise<void>;
}

export function createUpload(connection: ServerConnection, file: Blob, options: SendFileOptions): FileUpload {
  return options.to === 's3' ? new S3Upload(connection, file, options) : new TusUpload(connection, file, options);
}
