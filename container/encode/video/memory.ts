import { ServiceError } from '../../errors.ts';
import type { PictureSource } from './picture-source.ts';
import type { VideoPlan } from './video-plan.ts';

/** Bytes for each pixel of an output, as measured of x264 and SVT-AV1 from 1080p to 8K (210 to 260). */
const encoderBytesPerPixel = 250;
/** Of the source, for each thread of its decoder. */
const decoderBytesPerPixel = 40;
/** Of what is mapped to the colours of ordinary screens, in floating point: 39 at 1080p. */
const toneMapBytesPerPixel = 40;
/** ffmpeg and Node themselves. */
const baseBytes = 200 * 1024 ** 2;

/** What an encode of these pictures takes, in bytes (pure). */
export function estimateMemory(plans: readonly VideoPlan[], source: PictureSource, decoderThreads: number): number {
  const { width, height } = source.coded;
  const written = plans.reduce((sum, { shape: { size } }) => sum + size.width * size.height, 0);
  const mapped = plans.reduce((sum, { toneMap, shape: { scaled } }) => {
    return toneMap === undefined ? sum : sum + scaled.width * scaled.height;
  }, 0);
  const forPictures = encoderBytesPerPixel * written + toneMapBytesPerPixel * mapped;
  return baseBytes + forPictures + decoderBytesPerPixel * width * height * decoderThreads;
}

const inMegabytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);

/** Before anything is encoded: a process that outgrows its container is killed, and its job with it. */
export function admitMemory(neededBytes: number, memoryLimitBytes: number): void {
  if (neededBytes <= memoryLimitBytes) return;
  throw new ServiceError(
    'needs_more_memory',
    `The outputs need about ${inMegabytes(neededBytes)} MiB of memory together, and the encoding service may use ${inMegabytes(memoryLimitBytes)} MiB. ` +
      'Ask for fewer or smaller pictures at a time, or for a container with more memory.',
    { details: { neededBytes, memoryLimitBytes } },
  );
}
