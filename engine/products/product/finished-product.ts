import type { EncodedOutput } from '../../../contract/http/output.ts';
import type { EncodeLimits } from '../../ffmpeg/limits.ts';
import type { CheckRun } from '../../verify/decode-whole.ts';

/** A file that is ready to be stored. */
export interface ProductFile {
  /** Relative to the output's destination; empty for the only file of an output. */
  name: string;
  path: string;
  contentType: string;
  /** Packages only. */
  cacheControl?: string;
  /** Seconds from the start of the film to the picture in the file. */
  at?: number;
}

/** A verified product. */
export interface FinishedProduct {
  facts: Omit<EncodedOutput, 'size' | 'sha256' | 'files'>;
  /** Files in delivery order. */
  files: ProductFile[];
}

export interface FinishRun extends CheckRun {
  limits: EncodeLimits;
}
