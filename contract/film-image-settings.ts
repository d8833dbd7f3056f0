import type { FilmImageKind, PreviewFormat, SheetFormat, StillFormat } from './analyses.ts';
import type { AnalysisOptions, PictureTime } from './http/analysis.ts';
import type { Fit } from './http/video.ts';
import { type OutputNaming, UnsupportedOutput } from './unsupported-output.ts';

/** Size of an image; undefined fields follow the source. */
interface Framing {
  /** pixels */
  width: number | undefined;
  height: number | undefined;
  fit: Fit;
  /** 1 to 100 (best); undefined for a lossless format */
  quality: number | undefined;
}

/** Time of a picture: seconds, a share of the length, or `auto` for a representative picture. */
export type PosterTime = { kind: 'auto' } | { kind: 'seconds'; seconds: number } | { kind: 'share'; share: number };

export interface PosterSettings extends Framing {
  kind: 'poster';
  at: PosterTime;
  imageFormat: StillFormat;
}

/** Evenly spaced pictures: a count, or seconds from one to the next. */
export type ThumbnailTimes = { kind: 'count'; count: number } | { kind: 'interval'; seconds: number };

export interface ThumbnailsSettings extends Framing {
  kind: 'thumbnails';
  times: ThumbnailTimes;
  imageFormat: StillFormat;
}

export interface StoryboardSettings extends Framing {
  kind: 'storyboard';
  /** Seconds from one tile to the next; undefined: follows from the length of the film. */
  interval: number | undefined;
  imageFormat: SheetFormat;
}

export interface ContactSheetSettings extends Framing {
  kind: 'contact-sheet';
  /** evenly spaced pictures */
  count: number;
  imageFormat: SheetFormat;
}

export interface PreviewSettings extends Framing {
  kind: 'preview';
  /** number of excerpts of the film */
  cuts: number;
  cutSeconds: number;
  imageFormat: PreviewFormat;
}

export type FilmImageSettings =
  ContactSheetSettings | PosterSettings | PreviewSettings | StoryboardSettings | ThumbnailsSettings;

/** Good enough for web pages; lossless formats have no quality. */
const defaultQualities: Readonly<Record<StillFormat | PreviewFormat, number | undefined>> = {
  jpeg: 85,
  webp: 80,
  // About the quality of JPEG at 85.
  avif: 60,
  png: undefined,
  mp4: 60,
};

/** Seconds; everyone who opens a list of films loads its previews. */
const mostPreviewSeconds = 30;

/** Pixels; lists of films and players show no more. */
const defaultWidths = { thumbnails: 320, preview: 320, storyboard: 160, 'contact-sheet': 240 } as const;

const defaultThumbnails = 10;
/** Four rows of five fit on a screen. */
const defaultTiles = 20;
/** Players decode the whole sheet at once. */
const mostTiles = 100;

function posterTime(at: PictureTime): PosterTime {
  if (at === 'auto') return { kind: 'auto' };
  if (typeof at === 'number') return { kind: 'seconds', seconds: at };
  return { kind: 'share', share: Number.parseFloat(at) / 100 };
}

function settleFraming(
  request: AnalysisOptions,
  imageFormat: StillFormat | PreviewFormat,
  naming: OutputNaming,
): Framing {
  const { width, height, fit = 'contain', quality } = request;
  const smallest = Math.min(width ?? Infinity, height ?? Infinity);
  if (smallest < 16) throw new UnsupportedOutput(naming, `each side of an image of a film has at least 16 pixels`);
  if (fit !== 'contain' && (width === undefined || height === undefined)) {
    throw new UnsupportedOutput(naming, `"fit": "${fit}" needs both width and height`);
  }
  if (quality !== undefined && defaultQualities[imageFormat] === undefined) {
    throw new UnsupportedOutput(naming, `${imageFormat} is lossless and has no quality`);
  }
  return { width, height, fit, quality: quality ?? defaultQualities[imageFormat] };
}

/** Adds the default width of kinds that are small unless the request sets a size. */
function small(request: AnalysisOptions, kind: keyof typeof defaultWidths): AnalysisOptions {
  return { ...request, width: request.width ?? (request.height === undefined ? defaultWidths[kind] : undefined) };
}

export function resolveStoryboard(request: AnalysisOptions, naming: OutputNaming): StoryboardSettings {
  const imageFormat = sheetFormatOf(request);
  const { interval } = request;
  const framing = settleFraming(small(request, 'storyboard'), imageFormat, naming);
  return { kind: 'storyboard', interval, imageFormat, ...framing };
}

/** Applies the defaults of an image (pure). */
export function resolveFilmImage(
  kind: FilmImageKind,
  request: AnalysisOptions,
  naming: OutputNaming,
): FilmImageSettings {
  switch (kind) {
    case 'poster': {
      const { at = 'auto' } = request;
      const imageFormat = stillFormatOf(request);
      return { kind, at: posterTime(at), imageFormat, ...settleFraming(request, imageFormat, naming) };
    }
    case 'thumbnails': {
      const { count = defaultThumbnails, interval } = request;
      const imageFormat = stillFormatOf(request);
      const times: ThumbnailTimes =
        interval === undefined ? { kind: 'count', count } : { kind: 'interval', seconds: interval };
      return { kind, times, imageFormat, ...settleFraming(small(request, kind), imageFormat, naming) };
    }
    case 'storyboard':
      return resolveStoryboard(request, naming);
    case 'contact-sheet': {
      const { count = defaultTiles } = request;
      if (count > mostTiles) throw new UnsupportedOutput(naming, `a contact sheet has at most ${mostTiles} pictures`);
      const imageFormat = sheetFormatOf(request);
      return { kind, count, imageFormat, ...settleFraming(small(request, kind), imageFormat, naming) };
    }
    case 'preview': {
      const { cuts = 4, cutDuration: cutSeconds = 1 } = request;
      if (cuts * cutSeconds > mostPreviewSeconds) {
        throw new UnsupportedOutput(
          naming,
          `the cuts of a preview have at most ${mostPreviewSeconds} seconds together`,
        );
      }
      const imageFormat = request.imageFormat === 'mp4' ? 'mp4' : 'webp';
      return { kind, cuts, cutSeconds, imageFormat, ...settleFraming(small(request, kind), imageFormat, naming) };
    }
  }
}

/** The schema has already refused formats that are not for still pictures. */
function stillFormatOf({ imageFormat }: AnalysisOptions): StillFormat {
  return imageFormat === undefined || imageFormat === 'svg' || imageFormat === 'mp4' ? 'jpeg' : imageFormat;
}

function sheetFormatOf({ imageFormat }: AnalysisOptions): SheetFormat {
  return imageFormat === 'png' || imageFormat === 'webp' ? imageFormat : 'jpeg';
}

/** File extension and media type. */
export const imageFiles = {
  jpeg: { extension: 'jpg', contentType: 'image/jpeg' },
  png: { extension: 'png', contentType: 'image/png' },
  webp: { extension: 'webp', contentType: 'image/webp' },
  avif: { extension: 'avif', contentType: 'image/avif' },
  mp4: { extension: 'mp4', contentType: 'video/mp4' },
} as const;

export function filmImageFile({ kind, imageFormat }: FilmImageSettings): { extension: string; contentType: string } {
  const { extension, contentType } = imageFiles[imageFormat];
  return { extension: `${kind}.${extension}`, contentType };
}
