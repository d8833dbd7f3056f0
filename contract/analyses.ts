/**
 * The one table of outputs that are not encoded media: numbers (`analysis`) and images (`image`), made from samples or
 * pictures. A new kind needs a row here and its own fields in `http/analysis.ts`. A kind made from samples also needs
 * `analysis-settings.ts` and `engine/products/analysis/create-analysis.ts`; a kind made from pictures needs
 * `film-image-settings.ts` and `engine/products/image/make-product.ts`. No imports: workflow code bundles this file at
 * run time.
 */

type AskingField = 'analysis' | 'image';

interface AnalysisFacts {
  /** Request field that asks for this kind. */
  asked: AskingField;
  /** Input that the output is made from. */
  of: 'samples' | 'pictures';
  /** Fields that it takes in addition to those of every output. */
  fields: readonly string[];
  /** The output has several files, which are delivered on demand. */
  hasSeveralFiles?: boolean;
  /** Image formats; the first is the default. */
  formats?: readonly string[];
  /** Largest image, in pixels. */
  most?: { width: number; height: number };
}

/** Pixels; no page or screen shows more, and a player draws wider images from peaks. */
const mostOfSound = { width: 16_384, height: 2048 };
/** Pixels per side. The total number of pixels has a separate limit. */
const mostOfFilm = { width: 8192, height: 8192 };

/** Largest tile: players decode a sheet of a hundred tiles at once. */
const mostOfTile = { width: 480, height: 480 };

const framing = ['width', 'height', 'fit', 'imageFormat', 'quality'] as const;
const stillFormats = ['jpeg', 'png', 'webp', 'avif'] as const;
const sheetFormats = ['jpeg', 'png', 'webp'] as const;
const previewFormats = ['webp', 'mp4'] as const;

export const analyses = {
  peaks: { asked: 'analysis', of: 'samples', fields: ['zoom', 'bits', 'splitChannels', 'dataFormat'] },
  waveform: {
    ...{ asked: 'image', of: 'samples', most: mostOfSound },
    fields: ['width', 'height', 'imageFormat', 'colors', 'splitChannels'],
    formats: ['png', 'svg'],
  },
  spectrogram: { asked: 'image', of: 'samples', fields: ['width', 'height'], most: mostOfSound },
  report: { asked: 'analysis', of: 'samples', fields: [] },
  poster: { asked: 'image', of: 'pictures', fields: ['at', ...framing], formats: stillFormats, most: mostOfFilm },
  thumbnails: {
    ...{ asked: 'image', of: 'pictures', formats: stillFormats, most: mostOfFilm, hasSeveralFiles: true },
    fields: ['count', 'interval', ...framing],
  },
  storyboard: {
    ...{ asked: 'image', of: 'pictures', formats: sheetFormats, most: mostOfTile, hasSeveralFiles: true },
    fields: ['interval', ...framing],
  },
  'contact-sheet': {
    ...{ asked: 'image', of: 'pictures', formats: sheetFormats, most: mostOfTile },
    fields: ['count', ...framing],
  },
  preview: {
    ...{ asked: 'image', of: 'pictures', formats: previewFormats, most: mostOfFilm },
    fields: ['cuts', 'cutDuration', ...framing],
  },
} as const satisfies Record<string, AnalysisFacts>;

export type StillFormat = (typeof stillFormats)[number];
export type SheetFormat = (typeof sheetFormats)[number];
export type PreviewFormat = (typeof previewFormats)[number];

export type AnalysisKind = keyof typeof analyses;

export function analysisFacts(kind: AnalysisKind): AnalysisFacts {
  return analyses[kind];
}

export type FilmImageKind = {
  [Kind in AnalysisKind]: (typeof analyses)[Kind]['of'] extends 'pictures' ? Kind : never;
}[AnalysisKind];

export function isFilmImageKind(kind: AnalysisKind): kind is FilmImageKind {
  return analyses[kind].of === 'pictures';
}

type KindAskedBy<Field extends AskingField> = {
  [Kind in AnalysisKind]: (typeof analyses)[Kind]['asked'] extends Field ? Kind : never;
}[AnalysisKind];

export function kindsAskedBy<Field extends AskingField>(field: Field): KindAskedBy<Field>[] {
  const kinds = Object.keys(analyses) as AnalysisKind[];
  return kinds.filter((kind): kind is KindAskedBy<Field> => analyses[kind].asked === field);
}
