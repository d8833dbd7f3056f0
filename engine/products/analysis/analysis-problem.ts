import type { AnalysisSettings } from '../../../contract/analysis-settings.ts';
import { peaksProblem } from './peaks/peaks.ts';
import type { SamplesShape } from './samples.ts';

/** Why an analysis of so many samples is impossible, as part of a sentence (pure). The number may be an estimate. */
export function analysisProblem(settings: AnalysisSettings, shape: SamplesShape): string | undefined {
  switch (settings.kind) {
    case 'peaks':
      return peaksProblem(settings, shape);
    case 'waveform':
    case 'report':
    case 'spectrogram':
      return undefined;
  }
}
