import { analysisFacts } from './analyses.ts';
import { builtInPresets, type Presets } from './presets.ts';
import { type AnalysisOptions, analysisKindOf } from './http/analysis.ts';

/**
 * Whether an output has several files, which are named and delivered on demand (docs/reference/container-api.md,
 * "Delivery on demand").
 */
export function hasSeveralFiles(
  output: Pick<AnalysisOptions, 'analysis' | 'image'> & { package?: unknown; preset?: string | undefined },
  presets: Presets = builtInPresets,
): boolean {
  const { preset = '' } = output;
  if (output.package !== undefined || (Object.hasOwn(presets, preset) && presets[preset]?.package !== undefined)) {
    return true;
  }
  const kind = analysisKindOf(output);
  return kind !== undefined && analysisFacts(kind).hasSeveralFiles === true;
}
