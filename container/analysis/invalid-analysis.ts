import type { AnalysisKind } from '../../contract/analyses.ts';
import { ServiceError } from '../errors.ts';

/** A file that was read back and is not what was written. */
export function invalidAnalysis(kind: AnalysisKind | 'image'): ServiceError {
  return new ServiceError('output_invalid', `The output ${kind} did not come out right. Nothing was uploaded.`);
}
