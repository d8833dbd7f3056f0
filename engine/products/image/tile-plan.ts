import type { Cue } from '../../formats/webvtt/webvtt.ts';
import type { Size } from '../../ffmpeg/size.ts';
import { keyPictures, secondsOfPicture } from './film-clock.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';

/** Usual grid of players and their plugins. */
const [mostColumns, mostRows] = [10, 10];

/** Grid of tiles on the sheets of a storyboard. */
export interface TileLayout {
  columns: number;
  rows: number;
  sheets: number;
}

export function layOutTiles(tiles: number): TileLayout {
  const [columns, rows] = [Math.min(mostColumns, tiles), Math.min(mostRows, Math.ceil(tiles / mostColumns))];
  return { columns, rows, sheets: Math.ceil(tiles / (columns * rows)) };
}

/** Pixels of a full sheet of tiles of this size. */
export function tileSheetSize(tiles: number, { width, height }: Size): Size {
  const { columns, rows } = layOutTiles(tiles);
  return { width: columns * width, height: rows * height };
}

/** Cues that map times to tiles (pure); the last one extends to the end of the film. */
export function tileCues(
  { tiles, intervalMs, seconds }: { tiles: number; intervalMs: number; seconds: number },
  { width, height }: Size,
  nameOfSheet: (sheet: number) => string,
): Cue[] {
  const { columns, rows } = layOutTiles(tiles);
  const endMs = Math.max((tiles - 1) * intervalMs + 1, Math.round(seconds * 1000));
  return Array.from({ length: tiles }, (_, tile) => {
    const [sheet, place] = [Math.floor(tile / (columns * rows)), tile % (columns * rows)];
    const [x, y] = [(place % columns) * width, Math.floor(place / columns) * height];
    return {
      startMs: tile * intervalMs,
      endMs: Math.min(endMs, (tile + 1) * intervalMs),
      text: `${nameOfSheet(sheet)}#xywh=${x},${y},${width},${height}`,
    };
  });
}

/** Pixels of H.264 that one core decodes in half a minute. */
const affordablePixels = 12_000_000_000;

/**
 * Whether tiles use key frames only (pure). They take a tenth of the work, but if they are farther apart than tiles,
 * several tiles show the same picture; a short film is therefore decoded whole. So is one whose edit list hides the key
 * frame before its start: tiles before the next key frame would show a later picture.
 */
export function isOfKeysOnly(film: PictureSource, intervalMs: number): boolean {
  const { frames, coded, isInDecodingOrder } = film;
  // Lone key frames cannot be counted.
  if (isInDecodingOrder) return false;
  if (frames * coded.width * coded.height > affordablePixels) return true;
  const numbers = keyPictures(film);
  const keys = numbers.map((number) => secondsOfPicture(film, number));
  const ends = [...keys.slice(1), secondsOfPicture(film, frames - 1)];
  return numbers[0] === 0 && keys.every((key, index) => ((ends[index] ?? key) - key) * 1000 <= intervalMs + 1);
}

/** Number of key frames that are shown at or before a time (pure). */
export function countKeys(film: PictureSource, ms: number): number {
  return keyPictures(film).filter((number) => secondsOfPicture(film, number) * 1000 <= ms).length;
}
