import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { azureWriteOf } from '../../contract/signed-url.ts';
import { storeCodeIn } from '../../contract/store-answer.ts';
import { escapeXml } from '../../contract/xml.ts';
import { ServiceError } from '../errors.ts';
import type { DeliverableFile } from './delivery.ts';
import type { DeliveryTarget } from './delivery-target.ts';
import { requestStore } from './store-request.ts';
import { retryUpload } from './upload.ts';
import type { UploadOptions } from './upload-options.ts';

/**
 * A store that copies the parts answers afterwards: "Processing of a CompleteMultipartUpload request could take several
 * minutes" (AWS).
 */
const headersTimeout = 600_000;

export type MultipartTarget = Extract<DeliveryTarget, { kind: 'multipart' }>;

/** Azure receives the headers of a blob with the list of its blocks; S3 receives them when the upload begins. */
type FileHeaders = Pick<DeliverableFile, 'contentType' | 'cacheControl'>;

/** Joins the stored parts to the file. */
export async function completeUpload(
  file: FileHeaders,
  target: MultipartTarget,
  storedParts: ReadonlyMap<number, string>,
  options: UploadOptions,
): Promise<void> {
  if (azureWriteOf(target.completeUrl) === 'blocklist') await commitBlocks(file, target, options);
  else await completeMultipart(target, storedParts, options);
}

/**
 * Uploads whose completion had no answer, by their stored parts, which renewed URLs of an upload share. The outcome at the
 * store is unknown.
 */
const mayBeDone = new WeakSet<ReadonlyMap<number, string>>();

async function completeMultipart(
  { completeUrl, partUrls }: MultipartTarget,
  storedParts: ReadonlyMap<number, string>,
  options: UploadOptions,
): Promise<void> {
  const body = completionXml(partUrls.map((_, index) => storedParts.get(index) ?? ''));
  const url = new URL(completeUrl);
  const headers = { 'content-type': 'application/xml', 'user-agent': 'holdfast' };
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
      if (mayBeDone.has(storedParts) && isNoSuchUpload(error)) return;
      if (error instanceof ServiceError && error.code === 'upload_failed') mayBeDone.add(storedParts);
      throw error;
    }
  });
}

/** If the answer to a commit was lost, a retry succeeds, because Azure still has the committed blocks. */
async function commitBlocks(
  { contentType, cacheControl }: FileHeaders,
  { completeUrl, partUrls }: MultipartTarget,
  options: UploadOptions,
): Promise<void> {
  const url = new URL(completeUrl);
  const headers = {
    ...{ 'content-type': 'application/xml', 'user-agent': 'holdfast', 'x-ms-blob-content-type': contentType },
    ...(cacheControl !== undefined && { 'x-ms-blob-cache-control': cacheControl }),
  };
  const body = blockListXml(partUrls.map((part) => new URL(part).searchParams.get('blockid') ?? ''));
  await retryUpload(options, async () => {
    await requestStore(url, { method: 'PUT', headers, body, headersTimeout }, options);
  });
}

/** Whether Azure lacks one of the blocks that a commit names. */
export function isBlockMissing(error: unknown): boolean {
  return error instanceof ServiceError && error.details?.['storeCode'] === 'InvalidBlockList';
}

/** Whether the upload was completed or aborted. */
export function isNoSuchUpload(error: unknown): boolean {
  return error instanceof ServiceError && error.details?.['storeCode'] === 'NoSuchUpload';
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
function completionXml(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

/** https://learn.microsoft.com/rest/api/storageservices/put-block-list */
function blockListXml(names: readonly string[]): string {
  return `<BlockList>${names.map((name) => `<Latest>${escapeXml(name)}</Latest>`).join('')}</BlockList>`;
}
