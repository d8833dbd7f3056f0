import type { ServerConnection } from './connection.ts';
import type { FileUpload, FileUploadOptions } from './file-upload.ts';
import { S3Upload, type S3UploadOptions } from './s3-upload.ts';
import { TusUpload } from './tus-upload.ts';

export type SendFileOptions = (FileUploadOptions & { to?: 'server' }) | S3UploadOptions;

export function createUpload(connection: ServerConnection, file: Blob, options: SendFileOptions): FileUpload {
  return options.to === 's3' ? new S3Upload(connection, file, options) : new TusUpload(connection, file, options);
}
