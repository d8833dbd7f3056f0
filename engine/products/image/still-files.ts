import { rename } from 'node:fs/promises';
import type { SheetFormat, StillFormat } from '../../../contract/analyses.ts';
import { imageFiles } from '../../../contract/film-image-settings.ts';
import type { Size } from '../../ffmpeg/size.ts';
import { checkAvif, encodeAvif } from './avif.ts';
import { pictureGuards } from '../../ffmpeg/guards.ts';
import type { PictureRun } from '../../ffmpeg/picture.ts';
import { type FfmpegOutput, runFfmpeg } from '../../ffmpeg/run.ts';
import { looks } from './image-look.ts';
import { invalidImage } from './invalid-image.ts';
import { rawInputOptions } from './raw-input.ts';

export interface StillSettings<Format extends StillFormat = StillFormat> {
  imageFormat: Format;
  /** 1 to 100 */
  quality: number | undefined;
  size: Size;
  /** Arranges all pictures of this size on one sheet by this filter. */
  tiled?: { size: Size; filter: string };
}

const decoders = { jpeg: 'mjpeg', png: 'png', webp: 'webp' } as const;

/**
 * ffmpeg's JPEG scale: 8 uses the tables of the standard (ITU-T T.81, annex K), like 50 on the Independent JPEG Group's
 * common scale.
 */
function jpegQuality(quality: number): number {
  const percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return Math.min(31, Math.max(1, Math.round((percent * 8) / 100)));
}

function encoderOptions({ imageFormat, quality = 0 }: StillSettings<SheetFormat>): string[] {
  switch (imageFormat) {
    case 'jpeg':
      return ['-c:v', 'mjpeg', '-qmin', '1', '-q:v', String(jpegQuality(quality)), '-flags:v', '+bitexact'];
    case 'png':
      return ['-c:v', 'png', '-pred', 'mixed'];
    case 'webp':
      return ['-c:v', 'libwebp', '-quality', String(quality)];
  }
}

/**
 * ffmpeg numbers files by a placeholder in their name; other percent signs are doubled. It reads them by extension,
 * because it cannot recognise a small JPEG by its content.
 */
function pathPattern(stem: string, imageFormat: StillFormat): string {
  return `${stem.replaceAll('%', '%%')}-%06d.${imageFiles[imageFormat].extension}`;
}

/** Path of a file that `numberedStills` writes; numbers start at 1. */
export function stillPath(stem: string, imageFormat: StillFormat, number: number): string {
  return `${stem}-${String(number).padStart(6, '0')}.${imageFiles[imageFormat].extension}`;
}

/**
 * ffmpeg output with one file per picture. `vfr` drops pictures that are not later than the previous one: the JPEG
 * encoder rejects them. ffmpeg makes them where it rebuilds its filters, at a change of the source's size.
 */
export function numberedStills(stem: string, map: string, settings: StillSettings<SheetFormat>): FfmpegOutput {
  const options = ['-map', map, ...encoderOptions(settings), '-fps_mode', 'vfr', '-f', 'image2'];
  return { path: pathPattern(stem, settings.imageFormat), options };
}

/** Encodes each picture of a file of decoded pictures to its own file, and reads it back. */
export async function writeStills(
  rawPath: string,
  paths: readonly string[],
  settings: StillSettings,
  run: PictureRun,
): Promise<void> {
  const { imageFormat, size, tiled } = settings;
  if (imageFormat === 'avif') {
    for (const [index, path] of paths.entries()) await encodeAvif({ rawPath, index, path }, settings, run);
    for (const path of paths) await checkAvif(path, size, run);
    return;
  }
  const stem = `${rawPath}-still`;
  const { path, options } = numberedStills(stem, '0:v:0', { ...settings, imageFormat });
  await runFfmpeg({
    ...run,
    input: rawPath,
    inputOptions: rawInputOptions(size, looks[imageFormat].pixelFormat),
    // With a pixel aspect ratio ffmpeg writes a JFIF header, which defines the JPEG's colours.
    outputs: [{ path, options: ['-vf', [...(tiled ? [tiled.filter] : []), 'setsar=1'].join(','), ...options] }],
    onProgress: () => {},
  });
  await checkStills(stem, paths.length, { imageFormat, size: tiled?.size ?? size }, run);
  for (const [index, path] of paths.entries()) await rename(stillPath(stem, imageFormat, index + 1), path);
}

/** Decodes all files completely. */
export async function checkStills(
  stem: string,
  count: number,
  { imageFormat, size }: Pick<StillSettings<SheetFormat>, 'imageFormat' | 'size'>,
  run: PictureRun,
): Promise<void> {
  const guards = pictureGuards('image2', decoders[imageFormat]);
  const { decodedFrames, undecodedPackets, inputShapes } = await runFfmpeg({
    ...run,
    input: pathPattern(stem, imageFormat),
    inputOptions: [...guards, '-err_detect', 'explode'],
    outputs: [{ path: '-', options: ['-map', '0:v:0', '-fps_mode', 'passthrough', '-f', 'null'] }],
    onProgress: () => {},
  });
  const [shape = ''] = inputShapes;
  const isOfSize = inputShapes.size === 1 && shape.startsWith(`w:${size.width} h:${size.height} `);
  if (decodedFrames === count && undecodedPackets === 0 && isOfSize) return;
  throw invalidImage(`${decodedFrames} of ${count} pictures could be read back`);
}
