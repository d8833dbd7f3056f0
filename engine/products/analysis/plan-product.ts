import type { AnalysisSettings } from '../../../contract/analysis-settings.ts';
import type { MediaFacts } from '../../../contract/http/media.ts';
import type { AnalysisOutput } from '../../../contract/output-settings.ts';
import type { OutputNaming } from '../../../contract/unsupported-output.ts';
import type { AudioPlan } from '../../plan/audio-plan.ts';
import type { OutputPlan } from '../../plan/planned-output.ts';
import { audioOf, type Source } from '../../source/source.ts';
import { planOutput } from '../file/plan-output.ts';

/** Figures or a picture of the sound, in a file at `path`. */
export interface AnalysisProduct extends OutputNaming {
  kind: 'analysis';
  analysis: AnalysisSettings;
  samples: OutputPlan & { audio: AudioPlan };
  path: string;
}

/** Report on a film without sound. */
export interface SilentReport extends OutputNaming {
  kind: 'silent_report';
  source: { formatName: string; facts: MediaFacts };
  path: string;
}

/** Throws `no_audio` if the source has nothing to analyse. */
export function planAnalysis(
  { label, named, analysis, samples }: AnalysisOutput,
  source: Source,
  path: string,
): AnalysisProduct | SilentReport {
  const plan = planOutput(samples, source);
  const { audio } = plan;
  if (audio !== undefined) return { kind: 'analysis', label, named, analysis, samples: { ...plan, audio }, path };
  // Only reports work without sound: `needsSound` in the contract.
  if (source.picturesProblem !== undefined) throw source.picturesProblem;
  if (source.pictures === undefined) audioOf(source, `The output ${label}`);
  return { kind: 'silent_report', label, named, source, path };
}
