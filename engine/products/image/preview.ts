import { readFile, rm } from 'node:fs/promises';
import { imageFiles, type PreviewSettings } from '../../../contract/film-image-settings.ts';
import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import { listPackets } from '../../ffmpeg/packet-list.ts';
import { pictureGuards } from '../../ffmpeg/guards.ts';
import { isWholePicture, type PictureRun } from '../../ffmpeg/picture.ts';
import { probeFile } from '../../ffmpeg/probe.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import { MalformedFile } from '../../formats/malformed-file.ts';
import { readWebpAnimation } from '../../formats/webp/animation.ts';
import { filmSeconds, pictureShownAt } from './film-clock.ts';
import type { PreviewPlan } from './film-image-plan.ts';
import { collectPictures } from './collect-pictures.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import { looks } from './image-look.ts';
import { invalidImage } from './invalid-image.ts';
import { rawInputOptions } from './raw-input.ts';

/** Pictures per second. An animated WebP stores nearly all of each picture. */
const webpRate: Rational = { num: 10, den: 1 };
const mostMp4Fps = 30;

export interface PreviewPictures {
  rate: Rational;
  /** Number in the film of each picture of the preview. */
  numbers: number[];
}

/** Chooses the pictures of a preview (pure): evenly spaced excerpts, or all of a short film. */
export function previewPictures(
  { cuts, cutSeconds, imageFormat }: PreviewSettings,
  film: PictureSource,
): PreviewPictures {
  const rate = imageFormat === 'webp' ? webpRate : mp4Rate(film);
  const seconds = filmSeconds(film);
  const isWhole = cuts * cutSeconds >= seconds;
  const length = isWhole ? seconds : cutSeconds;
  const frames = Math.max(1, Math.round(length * valueOf(rate)));
  const starts = isWhole
    ? [0]
    : Array.from({ length: cuts }, (_, cut) => ((cut + 0.5) * seconds) / cuts - cutSeconds / 2);
  const numbers = starts.flatMap((start) =>
    Array.from({ length: frames }, (_, frame) => pictureShownAt(film, start + frame / valueOf(rate))),
  );
  return { rate, numbers };
}

function mp4Rate({ constantRate }: PictureSource): Rational {
  return constantRate !== undefined && valueOf(constantRate) <= mostMp4Fps ? constantRate : { num: mostMp4Fps, den: 1 };
}

export async function makePreview(plan: PreviewPlan, path: string, job: ImageJob): Promise<FilmImage> {
  const { settings, shape } = plan;
  const { imageFormat } = settings;
  const look = looks[imageFormat];
  const { rate, numbers } = previewPictures(settings, job.film);
  const sequencePath = `${job.path}-sequence`;
  await collectPictures({ ...job, shape, look }, numbers, sequencePath);
  const inputOptions = rawInputOptions(shape.size, look.pixelFormat, `${rate.num}/${rate.den}`);
  const options = ['-map', '0:v:0', '-fps_mode', 'passthrough', ...encoderOptions(settings)];
  await runFfmpeg({ ...job, input: sequencePath, inputOptions, outputs: [{ path, options }], onProgress: () => {} });
  await rm(sequencePath);
  const planned = { ...plan, seconds: numbers.length / valueOf(rate), frames: numbers.length };
  if (imageFormat === 'webp') await checkWebp(path, planned, job);
  else await checkMp4(path, planned, job.signal);
  const { contentType } = imageFiles[imageFormat];
  const duration = roundToMilliseconds(planned.seconds);
  return { files: [{ name: '', path, contentType }], facts: { contentType, ...shape.size, duration } };
}

function encoderOptions({ imageFormat, quality = 0 }: PreviewSettings): string[] {
  if (imageFormat === 'webp') {
    return ['-c:v', 'libwebp_anim', '-quality', String(quality), '-loop', '0', '-f', 'webp'];
  }
  // Quality 100 is crf 18, visually lossless; 60 is 28, 1 is 43.
  const crf = Math.round(18 + (100 - quality) / 4);
  return [
    ...['-c:v', 'libx264', '-preset', 'fast', '-crf', String(crf), '-profile:v', 'high', '-threads', '1'],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
    ...['-movflags', '+faststart', '-f', 'mp4'],
  ];
}

interface Planned extends PreviewPlan {
  seconds: number;
  frames: number;
}

/**
 * ffmpeg 5.1 cannot read animated WebP. Consecutive equal pictures are stored once with a longer duration; if all are
 * equal, the file is a still.
 */
async function checkWebp(path: string, { shape: { size }, seconds, frames }: Planned, run: PictureRun): Promise<void> {
  const bytes = await readFile(path);
  try {
    const animation = readWebpAnimation(bytes);
    if (animation === undefined) {
      if (await isWholePicture(path, pictureGuards('webp_pipe', 'webp'), run)) return;
      throw invalidImage('its picture cannot be decoded');
    }
    const shown = animation.frames.reduce((sum, { durationMs }) => sum + durationMs, 0);
    if (animation.width !== size.width || animation.height !== size.height) {
      throw invalidImage(`it has ${animation.width}x${animation.height} pixels`);
    }
    if (animation.frames.length > frames || Math.abs(shown / 1000 - seconds) > 0.001 || animation.loops !== 0) {
      throw invalidImage(`its ${animation.frames.length} pictures are shown for ${shown} ms`);
    }
  } catch (error) {
    if (error instanceof MalformedFile) throw invalidImage(`it is ${error.message}`);
    throw error;
  }
}

async function checkMp4(path: string, { shape: { size }, frames }: Planned, signal: AbortSignal): Promise<void> {
  const { streams } = await probeFile(path, { signal });
  const [stream] = streams;
  const isOfSize = streams.length === 1 && stream?.width === size.width && stream.height === size.height;
  const packets = await listPackets(path, 0, signal);
  if (isOfSize && packets.length === frames) return;
  throw invalidImage(`it has ${packets.length} pictures of ${stream?.width}x${stream?.height} pixels`);
}
