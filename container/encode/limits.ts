import type { ProcessLimits } from '../ffmpeg/process-limits.ts';
import type { SourceLimits } from './source.ts';

/** What bounds an encode: its source, each process of ffmpeg, and how many of these encode at a time. */
export interface EncodeLimits extends SourceLimits, ProcessLimits {
  /** 1: every output is made by a single run. */
  encodeParallelism: number;
}
