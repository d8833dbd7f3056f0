import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import type { TransferCounters } from './counters.ts';
import type { Digest } from './digest.ts';
import type { UploadLimits } from './upload-watch.ts';

/** A file, or a part of one, that goes to one URL. */
export interface UploadFile {
  path: string;
  /** First byte of a part; `digest` has the part's size and MD5. */
  offset?: number;
  uploadUrl: string;
  /** Headers of the caller. */
  headers?: TransferHeaders | undefined;
  /** Undefined for a part, which has no type of its own. */
  contentType: string | undefined;
  /** Undefined for a part and where the request limits no caching. */
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
  /** Called before each try of a file that goes to one URL; throws if the file may not be stored there. */
  beforeTry?(): Promise<void>;
  /** Called with the topmost folder that is made for a file on a disk. */
  onFolder?(path: string): void;
}
