import type { ProcessLimits } from './process-limits.ts';
import type { SourceLimits } from './source-limits.ts';

export interface RunLimits extends SourceLimits, ProcessLimits {}

/** Adds the number of ffmpeg processes that encode at a time. */
export interface EncodeLimits extends RunLimits {
  /** 1: every output is made by a single run. */
  encodeParallelism: number;
}

export interface PictureLimits extends RunLimits {
  /** Largest estimated memory of an encode, in bytes. */
  memoryLimitBytes: number;
  /** True if VMAF can be measured. */
  hasVmaf: boolean;
}
