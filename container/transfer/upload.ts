import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import { withStepSpan } from '../../tracing/phases.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from 'pino';
import type { TransferCounters } from './counters.ts';
import type { Digest } from './digest.ts';
import { type StoredFile, uploadToFile } from './upload-to-file.ts';
import { uploadToHttp } from './upload-to-http.ts';
import type { UploadLimits } from './upload-watch.ts';

/**
 * A lost connection or a 5xx of the store is tried again here, because a failed upload would otherwise cost a whole
 * new encode. The workflow waits for the end of longer outages. Milliseconds before the second, third and fourth try.
 */
const retryDelaysMs = [500, 2000, 5000];

export interface UploadFile {
  path: string;
  /** Where a part of a file begins, whose size and MD5 are in `digest`. */
  offset?: number;
  uploadUrl: string;
  /** As the caller gave them. */
  headers?: TransferHeaders | undefined;
  /** Undefined for a part, which has none. */
  contentType: string | undefined;
  /** Likewise, and where nobody has said how long it may be kept. */
  cacheControl?: string;
  digest: Pick<Digest, 'size' | 'md5Base64'>;
}

export interface UploadOptions {
  jobId: string;
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  limits: UploadLimits;
  counters: Pick<TransferCounters, 'uploadRetries'>;
  log: Logger;
  signal: AbortSignal;
  onProgress(bytes: number): void;
}

/** Makes the request again where another try may help. */
export async function retryUpload<Result>(
  options: Pick<UploadOptions, 'jobId' | 'log' | 'signal' | 'counters'>,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { jobId, log, signal, counters } = options;
  for (let tries = 0; ; tries += 1) {
    try {
      return await withStepSpan('upload', {}, attempt);
    } catch (error) {
      const retryDelayMs = retryDelaysMs[tries];
      const again = error instanceof ServiceError && error.code === 'upload_failed' && retryDelayMs !== undefined;
      if (!again) throw error;
      counters.uploadRetries += 1;
      log.warn({ jobId, retryDelayMs, error: error.message }, 'Upload failed; trying again');
      await delay(retryDelayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Stores one finished file where the caller asked for it; tells of one on a disk by what it is known again. */
export async function uploadFile(file: UploadFile, options: UploadOptions): Promise<StoredFile | undefined> {
  const url = new URL(file.uploadUrl);
  if (url.protocol === 'file:') return uploadToFile(file, url, options);
  await retryUpload(options, () => uploadToHttp(file, url, options));
  return undefined;
}
