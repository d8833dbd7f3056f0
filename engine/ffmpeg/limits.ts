import type { ProcessLimits } from './process-limits.ts';
import type { SourceLimits } from './source-limits.ts';

/** What bounds one process of ffmpeg and the source that it reads. */
export interface RunLimits extends SourceLimits, ProcessLimits {}

/** What bounds an encode: besides, how many processes of ffmpeg encode at a time. */
export interface EncodeLimits extends RunLimits {
  /** 1: every output is made by a single run. */
  encodeParallelism: number;
}

/** What bounds an encode of pictures. */
export interface PictureLimits extends RunLimits {
  /** Bytes of memory that it may be estimated at. */
  memoryLimitBytes: number;
  /** How good pictures are can be measured. */
  hasVmaf: boolean;
}
