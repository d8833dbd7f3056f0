import { analysisFacts } from './analyses.ts';
import { type AnalysisOptions, analysisKindOf } from './http/analysis.ts';

/** Whether an output has several files: these have names, and go on demand to where each belongs (docs/contract.md, "Delivery on demand"). */
export function hasSeveralFiles(output: Pick<AnalysisOptions, 'analysis' | 'image'>): boolean {
  const kind = analysisKindOf(output);
  return kind !== undefined && analysisFacts(kind).hasSeveralFiles === true;
}
