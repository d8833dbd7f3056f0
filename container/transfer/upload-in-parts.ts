import PQueue from 'p-queue';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { azureWriteOf } from '../../contract/signed-url.ts';
import { ServiceError } from '../errors.ts';
import { runPool, type PoolTask } from '../../engine/pool.ts';
import { completeUpload, isBlockMissing, type MultipartTarget } from './complete-upload.ts';
import type { DeliverableFile } from './delivery.ts';
import { digestRange } from './digest.ts';
import { uploadToHttp } from './upload-to-http.ts';
import { retryUpload } from './upload.ts';
import type { UploadOptions } from './upload-options.ts';

/** Parts of one file that are uploaded at a time. */
const parallelParts = 4;

/** Times that a file is sent again to Azure because another writer has removed its blocks. */
const mostUndone = 2;

export type FileInParts = Pick<DeliverableFile, 'path' | 'contentType' | 'cacheControl'> & {
  digest: Pick<DeliverableFile['digest'], 'size'>;
};

/**
 * Uploads one file in parts (S3 multipart upload, or blocks of an Azure blob) and retries each part alone. `storedParts` holds
 * the ETags of stored parts by index.
 */
export async function uploadInParts(
  file: FileInParts,
  target: MultipartTarget,
  storedParts: Map<number, string>,
  options: UploadOptions,
): Promise<void> {
  for (let undone = 0; ; undone += 1) {
    await uploadParts(file, target, storedParts, options);
    try {
      return await completeUpload(file, target, storedParts, options);
    } catch (error) {
      if (undone === mostUndone || !isBlockMissing(error)) throw error;
      // Another writer of the blob has committed its own blocks, and Azure has removed all others.
      storedParts.clear();
    }
  }
}

async function uploadParts(
  { path, digest: { size: fileSize } }: FileInParts,
  target: MultipartTarget,
  storedParts: Map<number, string>,
  options: UploadOptions,
): Promise<void> {
  const parts = target.partUrls.map((url, index) => {
    const offset = index * target.partSize;
    return { url: new URL(url), index, offset, size: Math.min(target.partSize, fileSize - offset) };
  });
  // One digest at a time: the store receives the first parts while the next part is read for its digest.
  const digests = new PQueue({ concurrency: 1 });
  const sentBytes = parts.map(({ index, size }) => (storedParts.has(index) ? size : 0));
  const tasks = parts
    .filter(({ index }) => !storedParts.has(index))
    .map(({ url, index, offset, size }): PoolTask => async (signal) => {
      const md5Base64 = await digests.add(() => digestRange(path, offset, size, signal));
      const onProgress = (bytes: number): void => {
        sentBytes[index] = bytes;
        options.onProgress(sentBytes.reduce((sum, sent) => sum + sent, 0));
      };
      const partOptions = { ...options, signal, onProgress };
      const etag = await retryUpload(partOptions, () =>
        uploadToHttp(
          { path, offset, uploadUrl: url.href, contentType: undefined, digest: { size, md5Base64 } },
          url,
          partOptions,
        ),
      );
      // Azure's blocks have no ETag: their URLs name them.
      if (etag === undefined && azureWriteOf(url.href) === undefined) throw noEtag(url);
      storedParts.set(index, etag ?? '');
    });
  await runPool(tasks, parallelParts, options.signal);
}

function noEtag(url: URL): ServiceError {
  return new ServiceError(
    'upload_refused',
    `The store answered without an ETag for a part of ${redactUrlAndFolder(url.href)}; without it the parts cannot be joined.`,
  );
}
