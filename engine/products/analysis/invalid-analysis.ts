import type { AnalysisKind } from '../../../contract/analyses.ts';
import { MediaError } from '../../media-error.ts';

/** A file that was read back and is not what was written. */
export function invalidAnalysis(kind: AnalysisKind | 'image'): MediaError {
  return new MediaError('output_invalid', `The output ${kind} did not come out right. Nothing was uploaded.`);
}
