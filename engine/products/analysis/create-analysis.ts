import type { AnalysisSettings } from '../../../contract/analysis-settings.ts';
import type { Analysis } from './analysis.ts';
import { createPeaks } from './peaks/peaks.ts';
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
