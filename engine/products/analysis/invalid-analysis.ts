import type { AnalysisKind } from '../../../contract/analyses.ts';
import { MediaError } from '../../media-error.ts';

/** The file that was read back differs from what was written. */
export function invalidAnalysis(kind: AnalysisKind | 'image'): MediaError {
  return new MediaError('output_invalid', `The output ${kind} failed its verification. Nothing was uploaded.`);
}
