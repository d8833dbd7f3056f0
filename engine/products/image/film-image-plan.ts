import type {
  ContactSheetSettings,
  FilmImageSettings,
  PosterSettings,
  PreviewSettings,
  StoryboardSettings,
  ThumbnailsSettings,
} from '../../../contract/film-image-settings.ts';
import { mostThumbnails } from '../../../contract/http/analysis.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { crop } from '../../pictures/edits/crop.ts';
import { rotate } from '../../pictures/edits/rotate.ts';
import { planShape } from '../../pictures/edits/size.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { shownSize } from '../../pictures/shown-size.ts';
import { maxOutputPixels } from '../../pictures/plan-video.ts';
import { filmSeconds, pictureCount, pictureShownAt } from './film-clock.ts';
import { layOutSheet, type SheetGrid } from './sheet-grid.ts';
import type { Size } from '../../ffmpeg/size.ts';
import type { PictureShape, VideoPlan } from '../../plan/video-plan.ts';
import { tileSheetSize } from './tile-plan.ts';

export interface PosterPlan {
  kind: 'poster';
  settings: PosterSettings;
  shape: PictureShape;
  /** Undefined: chosen automatically. */
  number: number | undefined;
}

export interface PreviewPlan {
  kind: 'preview';
  settings: PreviewSettings;
  shape: PictureShape;
}

export interface ThumbnailsPlan {
  kind: 'thumbnails';
  settings: ThumbnailsSettings;
  shape: PictureShape;
  /** Pictures of the tiles; they repeat if the film has fewer */
  numbers: number[];
}

export interface StoryboardPlan {
  kind: 'storyboard';
  settings: StoryboardSettings;
  shape: PictureShape;
  /** milliseconds from one tile to the next */
  intervalMs: number;
  tiles: number;
  /** ffmpeg filters that turn and crop the pictures */
  viewFilters: readonly string[];
}

export interface ContactSheetPlan {
  kind: 'contact-sheet';
  settings: ContactSheetSettings;
  /** shape of each tile */
  shape: PictureShape;
  /** pictures of the sheet, each once */
  numbers: number[];
  grid: SheetGrid;
}

/** Every parameter of a film image that follows from the film's headers. */
export type FilmImagePlan = ContactSheetPlan | PosterPlan | PreviewPlan | StoryboardPlan | ThumbnailsPlan;

/**
 * Decides the parameters of an image (pure). Throws `UnsupportedOutput`. A storyboard is turned and cropped as the
 * pictures of `video`.
 */
export function planFilmImage(
  settings: StoryboardSettings,
  naming: OutputNaming,
  film: PictureSource,
  video?: VideoPlan,
): StoryboardPlan;
export function planFilmImage(settings: FilmImageSettings, naming: OutputNaming, film: PictureSource): FilmImagePlan;
export function planFilmImage(
  settings: FilmImageSettings,
  naming: OutputNaming,
  film: PictureSource,
  video?: VideoPlan,
): FilmImagePlan {
  const shape = planShape(settings, video?.view.shown ?? shownSize(film));
  const { width, height } = shape.size;
  if (width * height > maxOutputPixels) {
    throw new UnsupportedOutput(
      naming,
      `${width}x${height} pixels are more than the limit of ${maxOutputPixels} pixels`,
    );
  }
  switch (settings.kind) {
    case 'poster':
      return { kind: 'poster', settings, shape, number: posterNumber(settings, naming, film) };
    case 'thumbnails':
      return { kind: 'thumbnails', settings, shape, numbers: thumbnailNumbers(settings, naming, film) };
    case 'storyboard': {
      const viewFilters =
        video === undefined ? [] : [rotate, crop].flatMap((edit) => edit.onSource?.(video, film) ?? []);
      return { kind: 'storyboard', settings, shape, viewFilters, ...planTiles(settings, shape, naming, film) };
    }
    case 'contact-sheet':
      return { kind: 'contact-sheet', settings, shape, ...planSheet(settings, shape, naming, film) };
    case 'preview':
      return { kind: 'preview', settings, shape };
  }
}

function posterNumber({ at }: PosterSettings, naming: OutputNaming, film: PictureSource): number | undefined {
  const length = filmSeconds(film);
  switch (at.kind) {
    case 'auto':
      return undefined;
    case 'share':
      return pictureShownAt(film, at.share * length);
    case 'seconds':
      // Reported lengths of films are rounded to milliseconds.
      if (at.seconds <= length + 0.001) return pictureShownAt(film, at.seconds);
      throw new UnsupportedOutput(
        naming,
        `the film ends at ${length.toFixed(3)} seconds, and has no picture at ${at.seconds}`,
        { duration: length },
      );
  }
}

/** Rounds up, but tolerates rounding errors: a whole number of intervals is not one more. */
const wholeIntervals = (length: number, interval: number): number => Math.max(1, Math.ceil(length / interval - 1e-6));

/** Each number is in the middle of its part, because films often begin and end in black. */
function evenNumbers(count: number, film: PictureSource): number[] {
  const length = filmSeconds(film);
  return Array.from({ length: count }, (_, index) => pictureShownAt(film, ((index + 0.5) * length) / count));
}

/** A count of thumbnails, or one per interval from the start. */
function thumbnailNumbers({ times }: ThumbnailsSettings, naming: OutputNaming, film: PictureSource): number[] {
  if (times.kind === 'count') return evenNumbers(times.count, film);
  const length = filmSeconds(film);
  const count = wholeIntervals(length, times.seconds);
  if (count > mostThumbnails) {
    const least = Math.ceil(length / mostThumbnails);
    throw new UnsupportedOutput(
      naming,
      `the film has ${count} intervals of ${times.seconds} seconds, and the limit is ${mostThumbnails} thumbnails; use an interval of at least ${least}`,
      { mostThumbnails, count },
    );
  }
  return Array.from({ length: count }, (_, index) => pictureShownAt(film, index * times.seconds));
}

/** Pixels per side: WebP's limit; viewers show no larger sheets of other formats. */
const mostSheetSide = 16_383;

function planSheet(
  { count }: ContactSheetSettings,
  { size }: PictureShape,
  naming: OutputNaming,
  film: PictureSource,
): Pick<ContactSheetPlan, 'numbers' | 'grid'> {
  // A picture that is shown for long appears once.
  const numbers = [...new Set(evenNumbers(Math.min(count, pictureCount(film)), film))];
  const grid = layOutSheet(numbers.length, size);
  checkSheet(grid.size, naming);
  return { numbers, grid };
}

function checkSheet({ width, height }: Size, naming: OutputNaming): void {
  if (Math.max(width, height) <= mostSheetSide) return;
  throw new UnsupportedOutput(
    naming,
    `its sheet would have ${width}x${height} pixels, and the limit is ${mostSheetSide} on a side; use fewer or smaller pictures`,
  );
}

/** Enough for a day at one tile per ten seconds. */
const mostTiles = 10_000;

/** By default a hundred tiles, at most ten seconds and at least one second apart. */
const [defaultTiles, longestInterval, shortestInterval] = [100, 10, 1];

function planTiles(
  { interval }: StoryboardSettings,
  { size }: PictureShape,
  naming: OutputNaming,
  film: PictureSource,
): Pick<StoryboardPlan, 'intervalMs' | 'tiles'> {
  const length = filmSeconds(film);
  const suited = Math.min(longestInterval, Math.max(shortestInterval, length / defaultTiles));
  // A default that is rounded down would need one tile more, alone on a second sheet.
  const intervalMs = interval === undefined ? Math.ceil(suited * 1000 - 1e-6) : Math.round(interval * 1000);
  const tiles = wholeIntervals(length, intervalMs / 1000);
  if (tiles <= mostTiles) {
    checkSheet(tileSheetSize(tiles, size), naming);
    return { intervalMs, tiles };
  }
  throw new UnsupportedOutput(
    naming,
    `the film has ${tiles} intervals of ${intervalMs / 1000} seconds, and the limit is ${mostTiles} tiles; use an interval of at least ${Math.ceil(length / mostTiles)}`,
    { mostTiles, tiles },
  );
}
