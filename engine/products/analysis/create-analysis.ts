import type { AnalysisSettings } from '../../../contract/analysis-settings.ts';
import type { Analysis } from './analysis.ts';
import { createPeaks, peaksProblem } from './peaks/peaks.ts';
import { createSpectrogram } from './spectrogram/spectrogram.ts';
import { createWaveform } from './waveform/waveform.ts';
import { createReport } from './report/report.ts';
import type { SamplesOrigin, SamplesShape } from './samples.ts';

/** Creates an analysis of samples whose number is known. */
export function createAnalysis(settings: AnalysisSettings, shape: SamplesShape, origin: SamplesOrigin): Analysis {
  switch (settings.kind) {
    case 'peaks':
      return createPeaks(settings, shape);
    case 'waveform':
      return createWaveform(settings, shape);
    case 'spectrogram':
      return createSpectrogram(settings, shape);
    case 'report':
      return createReport(shape, origin);
  }
}

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
