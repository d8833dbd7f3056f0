import type { AnalysisSettings } from '../../contract/analysis-settings.ts';
import type { Analysis } from './analysis.ts';
import { createPeaks, peaksProblem } from './peaks/peaks.ts';
import type { SamplesShape } from './samples.ts';
import { createWaveform } from './waveform/waveform.ts';

/** Of samples that are counted. */
export function createAnalysis(settings: AnalysisSettings, shape: SamplesShape): Analysis {
  switch (settings.kind) {
    case 'peaks':
      return createPeaks(settings, shape);
    case 'waveform':
      return createWaveform(settings, shape);
  }
}

/** Why it cannot be made of so many samples, as a part of a sentence (pure). Their number may be a guess. */
export function analysisProblem(settings: AnalysisSettings, shape: SamplesShape): string | undefined {
  switch (settings.kind) {
    case 'peaks':
      return peaksProblem(settings, shape);
    case 'waveform':
      return undefined;
  }
}
