import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { runPool, type PoolTask } from '../../engine/pool.ts';
import type { DeliveryTarget } from './delivery-target.ts';
import { digestRange } from './digest.ts';
import { storeCodeIn } from '../../contract/store-answer.ts';
import { requestStore } from './store-request.ts';
import { uploadToHttp } from './upload-to-http.ts';
import { retryUpload } from './upload.ts';
import type { UploadOptions } from './upload-options.ts';

/**
 * A store that copies the parts answers afterwards: "Processing of a CompleteMultipartUpload request could take several
 * minutes" (AWS).
 */
const headersTimeout = 600_000;

type MultipartTarget = Extract<DeliveryTarget, { kind: 'multipart' }>;

/** Parts of one file that are uploaded at a time. */
const parallelParts = 4;

/**
 * Uploads one file in parts (S3 multipart upload) and retries each part alone. `storedParts` holds the ETags of stored
 * parts by index.
 */
export async function uploadInParts(
  file: { path: string; size: number },
  target: MultipartTarget,
  storedParts: Map<number, string>,
  options: UploadOptions,
): Promise<void> {
  const parts = target.partUrls.map((url, index) => {
    const offset = index * target.partSize;
    return { url: new URL(url), index, offset, size: Math.min(target.partSize, file.size - offset) };
  });
  const sentBytes = parts.map(({ index, size }) => (storedParts.has(index) ? size : 0));
  const tasks = parts
    .filter(({ index }) => !storedParts.has(index))
    .map(({ url, index, offset, size }): PoolTask => async (signal) => {
      const md5Base64 = await digestRange(file.path, offset, size, signal);
      const onProgress = (bytes: number): void => {
        sentBytes[index] = bytes;
        options.onProgress(sentBytes.reduce((sum, sent) => sum + sent, 0));
      };
      const partOptions = { ...options, signal, onProgress };
      const etag = await retryUpload(partOptions, () =>
        uploadToHttp(
          { path: file.path, offset, uploadUrl: url.href, contentType: undefined, digest: { size, md5Base64 } },
          url,
          partOptions,
        ),
      );
      if (etag === undefined) throw noEtag(url);
      storedParts.set(index, etag);
    });
  await runPool(tasks, parallelParts, options.signal);
  await completeUpload(target, storedParts, options);
}

async function completeUpload(
  { completeUrl, partUrls }: MultipartTarget,
  storedParts: ReadonlyMap<number, string>,
  options: UploadOptions,
): Promise<void> {
  const body = completionXml(partUrls.map((_, index) => storedParts.get(index) ?? ''));
  const url = new URL(completeUrl);
  const headers = { 'content-type': 'application/xml', 'user-agent': 'holdfast' };
  let mayBeDone = false;
  await retryUpload(options, async () => {
    try {
      const { page } = await requestStore(url, { method: 'POST', headers, body, headersTimeout }, options);
      // S3 answers 200 before it begins, to keep the connection, and reports a failure in the page.
      // The page of a proxy, or an empty one, reports neither.
      if (page.includes('CompleteMultipartUploadResult')) return;
      const storeCode = storeCodeIn(page);
      const reason = storeCode ?? (/<Error[\s>]/.test(page) ? 'an error without a code' : 'its answer is not S3’s');
      throw new ServiceError(
        'upload_failed',
        `The store could not join the parts of ${redactUrlAndFolder(url.href)} (${reason}).`,
        { details: { status: 200, ...(storeCode !== undefined && { storeCode }) } },
      );
    } catch (error) {
      // Only a completion or an abort ends an upload, and nobody aborted it: the answer of an earlier success was lost.
      if (mayBeDone && isNoSuchUpload(error)) return;
      // Without an answer the outcome at the store is unknown.
      mayBeDone ||= error instanceof ServiceError && error.code === 'upload_failed';
      throw error;
    }
  });
}

function isNoSuchUpload(error: unknown): boolean {
  return error instanceof ServiceError && error.details?.['storeCode'] === 'NoSuchUpload';
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
export function completionXml(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&'"]/g, (character) => `&#${character.codePointAt(0)};`);
}

function noEtag(url: URL): ServiceError {
  return new ServiceError(
    'upload_refused',
    `The store answered without an ETag for a part of ${redactUrlAndFolder(url.href)}; without it the parts cannot be joined.`,
  );
}
