import type { Dispatcher } from 'undici';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import type { JobContext } from '../jobs/job.ts';
import { runPool, type PoolTask } from '../pool.ts';
import type { AllowedAddresses } from './address-guard.ts';
import { downloadSource } from './download.ts';
import { uploadFile, type UploadFile } from './upload.ts';
import { checkUploadUrl } from './upload-target.ts';

/** Uploads of one job at a time: enough to use the bandwidth in spite of latency, few enough not to burden the store. */
const parallelUploads = 4;

/** What a request says of its source. */
export interface RequestedSource {
  sourceUrl: string;
  sourceSha256?: string | undefined;
  headers?: TransferHeaders | undefined;
}

/** Downloads and uploads of a job, which advance it. */
export interface MediaTransfer {
  /** To be called first: a forbidden target must be found before any other output has been uploaded. */
  checkUploads(uploads: readonly { uploadUrl: string }[]): Promise<void>;
  download(source: RequestedSource, target: string, job: Pick<JobContext, 'signal' | 'advance'>): Promise<void>;
  uploadAll(files: readonly UploadFile[], job: JobContext): Promise<void>;
}

interface TransferDeps {
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  allowedAddresses: AllowedAddresses;
  maxSourceBytes: number;
}

export function createMediaTransfer(deps: TransferDeps): MediaTransfer {
  const { dispatcher, mediaRoot, allowedAddresses, maxSourceBytes } = deps;
  return {
    async checkUploads(uploads) {
      for (const { uploadUrl } of uploads) await checkUploadUrl(uploadUrl, mediaRoot, allowedAddresses);
    },
    async download({ sourceUrl, sourceSha256, headers }, target, job) {
      job.advance('download', 0);
      await downloadSource(sourceUrl, target, {
        dispatcher,
        mediaRoot,
        maxBytes: maxSourceBytes,
        sha256: sourceSha256,
        headers,
        signal: job.signal,
        onProgress: (bytes, totalBytes) =>
          job.advance('download', totalBytes === undefined ? undefined : bytes / totalBytes),
      });
    },
    async uploadAll(files, job) {
      job.advance('upload', 0);
      const totalBytes = files.reduce((sum, { digest }) => sum + digest.size, 0);
      const sentBytes = files.map(() => 0);
      const uploads = files.map(
        (file, index): PoolTask =>
          (signal) =>
            uploadFile(file, {
              jobId: job.jobId,
              dispatcher,
              mediaRoot,
              log: job.log,
              signal,
              onProgress(bytes) {
                sentBytes[index] = bytes;
                job.advance('upload', sentBytes.reduce((sum, sent) => sum + sent, 0) / Math.max(1, totalBytes));
              },
            }),
      );
      // The first failure ends the other uploads, too: a job that has failed uploads nothing more.
      await runPool(uploads, parallelUploads, job.signal);
    },
  };
}
