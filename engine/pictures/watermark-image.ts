import { readFile } from 'node:fs/promises';
import { MediaError } from '../media-error.ts';
import { pictureGuards } from '../ffmpeg/guards.ts';
import { isWholePicture, type PictureRun } from '../ffmpeg/picture.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import { extractPlainJpeg } from '../formats/jpeg/plain-jpeg.ts';
import { type ImageKind, readImageKind, uprightFilters } from '../source/still-image.ts';
import type { WatermarkPlan } from '../plan/video-plan.ts';
import type { WatermarkImage } from '../plan/video-plan.ts';

/** Bytes of the image file. */
export const maxWatermarkBytes = 16 * 1024 ** 2;

/** 4096x4096, more than any output has. A picture takes 4 bytes per pixel, several times over while it is scaled. */
const maxWatermarkPixels = 4096 * 4096;

function badWatermark(): MediaError {
  return new MediaError(
    'invalid_request',
    'The watermark cannot be used: it is not a still picture in JPEG, PNG or WebP, it is damaged, or it has more than 16 million pixels.',
    { details: { field: 'watermark' } },
  );
}

const guardsOf = ({ demuxer, decoder }: ImageKind): string[] => pictureGuards(demuxer, decoder, maxWatermarkPixels);

/** Checks an untrusted file under guards. Throws if it is not a usable image. */
export async function openWatermark(path: string, run: PictureRun): Promise<WatermarkImage> {
  const kind = await readImageKind(path);
  if (kind === undefined) throw badWatermark();
  try {
    const guards = guardsOf(kind);
    const { streams } = await probeFile(path, { signal: run.signal, demuxer: kind.demuxer, guards });
    const { width = 0, height = 0 } = streams[0] ?? {};
    // An image that is too large is rejected by its header and never decoded.
    if (width < 1 || height < 1 || width * height > maxWatermarkPixels) throw badWatermark();
    if (!(await isWholePicture(path, guards, run))) throw badWatermark();
    const orientation =
      kind.mimeType === 'image/jpeg' ? extractPlainJpeg(await readFile(path))?.orientation : undefined;
    const isTurned = (orientation ?? 1) > 4;
    const size = isTurned ? { width: height, height: width } : { width, height };
    return { path, kind, orientation: orientation ?? 1, ...size };
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof MediaError && error.code === 'undecodable_source') throw badWatermark();
    throw error;
  }
}

/**
 * Draws the image as it appears over the pictures: upright, scaled, with its opacity. Colours are premultiplied by
 * their transparency while scaling, so that those of invisible pixels do not show at the edges.
 */
async function drawWatermark({ image, width, height, opacity }: WatermarkPlan, path: string, run: PictureRun) {
  const filters =
    `format=gbrap${uprightFilters[image.orientation]},premultiply=inplace=1,` +
    `scale=w=${width}:h=${height}:flags=lanczos+accurate_rnd,unpremultiply=inplace=1,format=rgba,colorchannelmixer=aa=${opacity}`;
  const encoding = ['-frames:v', '1', '-map_metadata', '-1', '-c:v', 'png', '-f', 'image2pipe'];
  await runFfmpeg({
    ...run,
    input: image.path,
    // Later versions of ffmpeg would turn the image a second time.
    inputOptions: [...guardsOf(image.kind), '-noautorotate'],
    outputs: [{ path, options: ['-map', '0:v:0', '-vf', filters, ...encoding] }],
    onProgress: () => {},
  });
}

/** A watermark in a file beside that of its output. */
interface DrawnWatermark {
  watermark: WatermarkPlan;
  path: string;
}

export async function drawWatermarks(
  targets: readonly { plan: { video: { watermark?: WatermarkPlan } }; path: string }[],
  run: PictureRun,
): Promise<DrawnWatermark[]> {
  const drawn: DrawnWatermark[] = [];
  for (const { plan, path: output } of targets) {
    const { watermark } = plan.video;
    if (watermark === undefined) continue;
    const path = `${output}-watermark.png`;
    await drawWatermark(watermark, path, run);
    drawn.push({ watermark, path });
  }
  return drawn;
}

/** Guards for a file that `drawWatermarks` wrote. */
export const drawnGuards: readonly string[] = pictureGuards('png_pipe', 'png', maxWatermarkPixels);
