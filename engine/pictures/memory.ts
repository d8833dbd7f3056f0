import type { VideoCodec } from '../../contract/video-codecs.ts';
import { MediaError } from '../media-error.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import { pictureEdits } from './edits/table.ts';

/**
 * Bytes per byte of an output's raw picture, as measured at 1080p (docs/measurements.md, "Memory of films"). They hold
 * lookahead, references and parallel work.
 */
const encoderBytes: Record<VideoCodec, { usual: number; slow: number }> = {
  h264: { usual: 170, slow: 195 },
  hevc: { usual: 150, slow: 165 },
  av1: { usual: 170, slow: 185 },
  vp9: { usual: 105, slow: 120 },
  ffv1: { usual: 110, slow: 110 },
  prores: { usual: 12, slow: 12 },
};
/** Bytes per pixel of the source and decoder thread. */
const decoderBytesPerPixel = 40;
/** ffmpeg and Node themselves. */
const baseBytes = 200 * 1024 ** 2;

/** Bytes per pixel of a raw picture in ffmpeg's pixel format. */
export function rawBytesPerPixel(pixelFormat: string): number {
  const samples = /420|nv12|p010|411|410/.test(pixelFormat)
    ? 1.5
    : /422|440/.test(pixelFormat)
      ? 2
      : /gray/.test(pixelFormat)
        ? 1
        : 3;
  const alpha = /yuva|gbrap|rgba|bgra|bgr0|ya8/.test(pixelFormat) ? 1 : 0;
  return (samples + alpha) * (/(?:9|1[0246]|48|64)le$/.test(pixelFormat) ? 2 : 1);
}

function encoderMemory({ codec, speed, pixelFormat, shape: { size } }: VideoPlan): number {
  const factor = encoderBytes[codec][speed === 'slow' ? 'slow' : 'usual'];
  return factor * rawBytesPerPixel(pixelFormat) * size.width * size.height;
}

/** Bytes of memory that encoding these pictures needs. */
export function estimateMemory(plans: readonly VideoPlan[], source: PictureSource, decoderThreads: number): number {
  const { width, height } = source.coded;
  const encoders = plans.reduce((sum, plan) => sum + encoderMemory(plan), 0);
  const edits = plans.flatMap((plan) => pictureEdits.map((edit) => edit.memory?.(plan) ?? 0));
  return (
    baseBytes +
    encoders +
    edits.reduce((sum, bytes) => sum + bytes, 0) +
    decoderBytesPerPixel * width * height * decoderThreads
  );
}

const inMegabytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);

/** Checks before encoding: a process that outgrows its container is killed together with its job. */
export function admitMemory(neededBytes: number, memoryLimitBytes: number): void {
  if (neededBytes <= memoryLimitBytes) return;
  throw new MediaError(
    'needs_more_memory',
    `The outputs need about ${inMegabytes(neededBytes)} MiB of memory together, and the encoding service may use ${inMegabytes(memoryLimitBytes)} MiB. ` +
      'Ask for fewer or smaller pictures at a time, or for a container with more memory.',
    { details: { neededBytes, memoryLimitBytes } },
  );
}
