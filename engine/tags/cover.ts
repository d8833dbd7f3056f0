import { readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MediaError } from '../media-error.ts';
import { pictureGuards } from '../ffmpeg/guards.ts';
import { isWholePicture, type PictureRun } from '../ffmpeg/picture.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { Orientation } from '../formats/jpeg/orientation.ts';
import { extractPlainJpeg } from '../formats/jpeg/plain-jpeg.ts';
import type { Picture } from '../formats/tags/file-tags.ts';
import { readImageKind, uprightFilters } from '../source/still-image.ts';

/** Pixels per side that podcast directories accept (Apple's and Spotify's artwork requirements). */
const leastSide = 1400;
export const mostSide = 3000;

/** Every listener downloads the picture with each episode. */
const maxPictureBytes = 1024 ** 2;

/** Bytes of a picture as received. */
export const maxCoverBytes = 16 * 1024 ** 2;

/** Sides in pixels and ffmpeg's quality (2 is best, 31 worst), tried until the file is small enough. */
const attempts = [
  { most: mostSide, quality: 3 },
  { most: mostSide, quality: 8 },
  { most: leastSide, quality: 8 },
  { most: leastSide, quality: 20 },
  { most: leastSide, quality: 31 },
];

/** `delivery`: a square JPEG of 1400 to 3000 pixels. `kept`: a source's picture, unchanged unless it is too large. */
export type CoverRule = 'delivery' | 'kept';

function badCover(): MediaError {
  return new MediaError(
    'invalid_request',
    'The cover cannot be used: it is not a still picture in JPEG, PNG or WebP, it is damaged, or it has more than 50 million pixels.',
    { details: { field: 'cover' } },
  );
}

interface CoverRun extends PictureRun {
  /** Folder for a generated picture until it is read. */
  folder: string;
}

/** Prepares a picture for embedding from the file at `path`. The file is untrusted and is only read under guards. */
export async function prepareCover(path: string, rule: CoverRule, run: CoverRun): Promise<Picture> {
  const kind = await readImageKind(path);
  if (kind === undefined) throw badCover();
  try {
    const guards = pictureGuards(kind.demuxer, kind.decoder);
    const probed = await probeFile(path, { signal: run.signal, demuxer: kind.demuxer, guards });
    const [stream] = probed.streams;
    const { width = 0, height = 0 } = stream ?? {};
    const { size } = await stat(path);
    const isSmall = size <= maxPictureBytes && Math.max(width, height) <= mostSide;
    const isSquare = width === height && width >= leastSide;
    const isPlain = kind.mimeType === 'image/jpeg' && /^yuvj?4(?:20|22|44)p$/.test(stream?.pix_fmt ?? '');
    const jpeg = kind.mimeType === 'image/jpeg' ? extractPlainJpeg(await readFile(path)) : undefined;
    const isUpright = jpeg?.orientation === 1;
    const isAsItShouldBe = rule === 'kept' ? kind.mimeType !== undefined : isSquare && isPlain && isUpright;
    if (isSmall && isAsItShouldBe && kind.mimeType !== undefined && (await isWholePicture(path, guards, run))) {
      // Exif may reveal where and when a photograph was taken; listeners must not receive it.
      const bytes = rule === 'delivery' ? jpeg?.bytes : undefined;
      return { mimeType: kind.mimeType, width, height, bytes: bytes ?? (await readFile(path)) };
    }
    return await makeCover(path, Math.min(width, height), jpeg?.orientation ?? 1, guards, run);
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof MediaError && error.code === 'undecodable_source') throw badCover();
    throw error;
  }
}

/** Writes the middle of the picture, on white, as a JPEG. */
async function makeCover(
  path: string,
  shorterSide: number,
  orientation: Orientation,
  guards: readonly string[],
  { folder, ...run }: CoverRun,
): Promise<Picture> {
  const made = join(folder, `${basename(path)}.jpg`);
  for (const { most, quality } of attempts) {
    const side = Math.max(leastSide, Math.min(shorterSide, most));
    const size = `${side}:${side}`;
    const graph = [
      `color=white:size=${side}x${side}:rate=1,format=rgba[background]`,
      `[0:v:0]crop='min(iw,ih)':'min(iw,ih)':exact=1,scale=${size}:flags=lanczos,setsar=1${uprightFilters[orientation]},format=rgba[picture]`,
      // JPEG uses full-range values. Without this option, white becomes grey.
      '[background][picture]overlay=shortest=1:format=gbrp,scale=out_range=full:out_color_matrix=bt601,format=yuvj420p[cover]',
    ];
    const encoding = ['-frames:v', '1', '-c:v', 'mjpeg', '-q:v', String(quality), '-f', 'mjpeg'];
    const options = ['-filter_complex', graph.join(';'), '-map', '[cover]', '-map_metadata', '-1', ...encoding];
    await runFfmpeg({
      ...run,
      input: path,
      // Later versions of ffmpeg would turn the picture a second time.
      inputOptions: [...guards, '-noautorotate'],
      outputs: [{ path: made, options }],
      onProgress: () => {},
    });
    const { size: bytes } = await stat(made);
    if (bytes === 0) throw badCover();
    if (bytes > maxPictureBytes) continue;
    const picture = await readFile(made);
    await rm(made);
    return { mimeType: 'image/jpeg', width: side, height: side, bytes: picture };
  }
  throw badCover();
}
