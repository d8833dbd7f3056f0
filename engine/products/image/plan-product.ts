import type { ImageOutput } from '../../../contract/output-settings.ts';
import type { OutputNaming } from '../../../contract/unsupported-output.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import { admitMemory, estimateMemory } from '../../pictures/memory.ts';
import { decoderThreads } from '../../ffmpeg/picture-entry.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { orUnsupported } from '../../unsupported.ts';
import { type FilmImagePlan, planFilmImage } from './film-image-plan.ts';

/** An image to draw; its files go to `path`, or to names that begin with it. */
export interface ImageTarget<Plan = FilmImagePlan> {
  plan: Plan;
  film: PictureSource;
  path: string;
}

export interface ImageProduct extends OutputNaming, ImageTarget {
  kind: 'image';
  isOptional: boolean;
}

/** Bytes that filters hold for each pixel of the film. */
const filterBytesPerPixel = 32;
/** Bytes that libaom holds for each pixel of a still picture. */
const encoderBytesPerPixel = 60;

/** Throws where the image needs too much memory. */
export function admitImage<Plan extends FilmImagePlan>(
  target: ImageTarget<Plan>,
  { memoryLimitBytes }: Pick<PictureLimits, 'memoryLimitBytes'>,
): ImageTarget<Plan> {
  const plan: FilmImagePlan = target.plan;
  const { coded } = target.film;
  const { size } = plan.kind === 'contact-sheet' ? plan.grid : plan.shape;
  const filterBytes = filterBytesPerPixel * coded.width * coded.height;
  const encoderBytes = encoderBytesPerPixel * size.width * size.height;
  admitMemory(estimateMemory([], target.film, decoderThreads) + filterBytes + encoderBytes, memoryLimitBytes);
  return target;
}

/** Throws where the image cannot be made of the film. */
export function planImage(
  { image, label, named, isOptional }: ImageOutput,
  film: PictureSource,
  limits: Pick<PictureLimits, 'memoryLimitBytes'>,
  path: string,
): ImageProduct {
  const plan = orUnsupported(() => planFilmImage(image, { label, named }, film));
  return { kind: 'image', label, named, isOptional, ...admitImage({ plan, film, path }, limits) };
}
