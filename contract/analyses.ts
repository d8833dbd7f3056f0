/**
 * The one table of outputs that are no encoded audio, but are made of its samples: numbers (`analysis`) or a picture (`image`).
 * To add one: a row here, its own fields in `http/analysis.ts`, its settings and its file in `analysis-settings.ts`, and how it is
 * made in `container/analysis/create-analysis.ts`. No imports: workflow code bundles this file at run time.
 */

type AskingField = 'analysis' | 'image';

interface AnalysisFacts {
  /** The field that asks for it. */
  asked: AskingField;
  /** What may be said of it, besides what every output may. */
  fields: readonly string[];
  /** Its output has several files, which are delivered on demand. */
  hasSeveralFiles?: boolean;
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

type KindAskedBy<Field extends AskingField> = {
  [Kind in AnalysisKind]: (typeof analyses)[Kind]['asked'] extends Field ? Kind : never;
}[AnalysisKind];

/** The values of that field. */
export function kindsAskedBy<Field extends AskingField>(field: Field): KindAskedBy<Field>[] {
  const kinds = Object.keys(analyses) as AnalysisKind[];
  return kinds.filter((kind): kind is KindAskedBy<Field> => analyses[kind].asked === field);
}
