/**
 * The one table of outputs that are no encoded audio, but are made of its samples: numbers (`analysis`) or a picture (`image`).
 * To add one: a row here, its fields in `http/analysis.ts`, its settings in `analysis-settings.ts`, and how it is made in
 * `container/analysis/create-analysis.ts`. No imports: workflow code bundles this file at run time.
 */

interface AnalysisFacts {
  /** The field that asks for it. */
  asked: 'analysis' | 'image';
  /** What may be said of it, besides what every output may. */
  fields: readonly string[];
}

export const analyses = {
  peaks: { asked: 'analysis', fields: ['zoom', 'bits', 'splitChannels', 'dataFormat'] },
  waveform: { asked: 'image', fields: ['width', 'height', 'imageFormat', 'colors', 'splitChannels'] },
  spectrogram: { asked: 'image', fields: ['width', 'height'] },
  report: { asked: 'analysis', fields: [] },
} as const satisfies Record<string, AnalysisFacts>;

export type AnalysisKind = keyof typeof analyses;

export function analysisFacts(kind: AnalysisKind): AnalysisFacts {
  return analyses[kind];
}
