/**
 * Framework of analyses (`contract/analyses.ts` has the table). All analyses of the same samples read them together,
 * block by block, and keep none: the size of what an analysis accumulates is bounded by its settings or limits. A new
 * analysis is a function `(settings, shape) => Analysis` in its own folder here, and a case in `create-analysis.ts`.
 * Its accumulation is pure and separate from writing the file.
 */
import type { EncodedOutput } from '../../../contract/http/output.ts';
import type { PictureRun } from '../../ffmpeg/picture.ts';
import type { Measured } from '../../sound/loudness/measure-part.ts';

export interface Analysis {
  /** Receives the next samples, with all channels interleaved. The block is reused after this returns. */
  add(block: Float32Array): void;
  /** Writes the file after the last sample, reads it back, and returns its facts. */
  finish(path: string, run: AnalysisRun): Promise<AnalysisResult>;
}

/** Services of ffmpeg for an analysis. */
export interface AnalysisRun extends PictureRun {
  /** The loudness of the same samples. */
  measure(): Promise<Measured>;
}

/** Facts of an analysis beyond those of every output. */
export type AnalysisResult = Pick<EncodedOutput, 'peaks' | 'width' | 'height'>;
