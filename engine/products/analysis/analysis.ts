/**
 * What is made of the samples of an output (`contract/analyses.ts` has the table). All analyses of the same samples take them in
 * together, block by block, so none keeps them: an analysis accumulates figures whose size its settings or its limits bound.
 * A new one is a function `(settings, shape) => Analysis` in a folder of its own here, and a case in `create-analysis.ts`; the
 * accumulation itself is pure, and apart from the writing of the file.
 */
import type { EncodedOutput } from '../../../contract/http/output.ts';
import type { PictureRun } from '../../ffmpeg/picture.ts';
import type { Measured } from '../../sound/loudness/measure-part.ts';

export interface Analysis {
  /** Takes the next samples: of all channels, interleaved. Its memory is used for the next block when this has returned. */
  add(block: Float32Array): void;
  /** Writes the file when all samples are in, reads it back, and returns its facts. */
  finish(path: string, run: AnalysisRun): Promise<AnalysisResult>;
}

/** What ffmpeg does for an analysis. */
export interface AnalysisRun extends PictureRun {
  /** The loudness of the same samples. */
  measure(): Promise<Measured>;
}

/** Facts of an analysis beyond those of every output. */
export type AnalysisResult = Pick<EncodedOutput, 'peaks' | 'width' | 'height'>;
