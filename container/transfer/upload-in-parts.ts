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

/** "Processing of a CompleteMultipartUpload request could take several minutes": where a store copies the parts, it answers after that. */
const headersTimeout = 600_000;

type MultipartTarget = Extract<DeliveryTarget, { kind: 'multipart' }>;

/** Parts of one file that are on their way at a time. */
const parallelParts = 4;

/**
 * One file in parts (S3's multipart upload). Each part is tried again alone, and `storedParts`, by index with the ETag of
 * each, says which are there already.
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
      // S3 answers 200 before it begins, to keep the connection, and tells of a failure in the page.
      // A page of somebody between, and an empty one, say neither.
      if (page.includes('CompleteMultipartUploadResult')) return;
      const storeCode = storeCodeIn(page);
      const reason = storeCode ?? (/<Error[\s>]/.test(page) ? 'an error without a code' : 'its answer is not S3’s');
      throw new ServiceError(
        'upload_failed',
        `The store could not join the parts of ${redactUrlAndFolder(url.href)} (${reason}).`,
        { details: { status: 200, ...(storeCode !== undefined && { storeCode }) } },
      );
    } catch (error) {
      // Only completing or aborting ends an upload, and nobody has aborted it: an answer of success was lost.
      if (mayBeDone && isNoSuchUpload(error)) return;
      // Whoever has no answer does not know what the store did.
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
