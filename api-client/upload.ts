import type { ServerConnection } from './connection.ts';
import type { FileUpload } from './file-upload.ts';
import { S3Upload, type S3UploadOptions } from './s3-upload.ts';
import { TusUpload, type TusUploadOptions } from './tus-upload.ts';

export type SendFileOptions = TusUploadOptions | S3UploadOptions;

export function createUpload(connection: ServerConnection, file: Blob, options: SendFileOptions): FileUpload {
  return options.to === 's3' ? new S3Upload(connection, file, options) : new TusUpload(connection, file, options);
}
