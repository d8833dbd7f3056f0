import { withStepSpan } from '../../tracing/phases.ts';
import { retry, retryDelaysMs } from '../../process/retry.ts';
import { ServiceError } from '../errors.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import { type FileTries, type StoredFile, uploadToFile } from './upload-to-file.ts';
import { uploadToHttp } from './upload-to-http.ts';

/** Retries a lost connection, a 5xx or a fault of a disk here: a failed upload would cost a whole new encode. */
export async function retryUpload<Result>(
  { jobId, log, signal, counters }: Pick<UploadOptions, 'jobId' | 'log' | 'signal' | 'counters'>,
  attempt: () => Promise<Result>,
): Promise<Result> {
  return await retry(() => withStepSpan('upload', {}, attempt), {
    delaysMs: retryDelaysMs.transfer,
    mayRetry: (error) => error instanceof ServiceError && error.code === 'upload_failed',
    onRetry(error, retryDelayMs) {
      counters.uploadRetries += 1;
      log.warn({ jobId, retryDelayMs, error: (error as Error).message }, 'Upload failed; trying again');
    },
    signal,
  });
}

/** Stores one finished file at its URL. Returns how a file on a disk is recognised later. */
export async function uploadFile(file: UploadFile, options: UploadOptions): Promise<StoredFile | undefined> {
  const url = new URL(file.uploadUrl);
  const tries: FileTries = { identities: new Set(), hasReplaced: false };
  return await retryUpload(options, async () => {
    await options.beforeTry?.();
    if (url.protocol === 'file:') return await uploadToFile(file, url, options, tries);
    await uploadToHttp(file, url, options);
    return undefined;
  });
}
