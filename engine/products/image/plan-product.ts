import type { ImageOutput } from '../../../contract/output-settings.ts';
import type { OutputNaming } from '../../../contract/unsupported-output.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import type { Size } from '../../ffmpeg/size.ts';
import { admitMemory, estimateMemory } from '../../pictures/memory.ts';
import { decoderThreads } from '../../ffmpeg/picture-entry.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { orUnsupported } from '../../unsupported.ts';
import { type FilmImagePlan, planFilmImage } from './film-image-plan.ts';
import { tileSheetSize } from './tile-plan.ts';

/** An image to draw; its files go to `path`, or to names that start with it. */
export interface ImageTarget<Plan = FilmImagePlan> {
  plan: Plan;
  film: PictureSource;
  path: string;
}

export interface ImageProduct extends OutputNaming, ImageTarget {
  kind: 'image';
  isOptional: boolean;
}

/** Filter memory in bytes per pixel of the film. */
const filterBytesPerPixel = 32;
/** libaom's memory in bytes per pixel of a still picture. */
const encoderBytesPerPixel = 60;
/** Memory of a sheet of tiles in bytes per pixel, as measured at 4800x2700. */
const sheetBytesPerPixel = { jpeg: 10, png: 10, webp: 20 } as const;

function encoderBytes(plan: FilmImagePlan): number {
  const pixelsOf = ({ width, height }: Size): number => width * height;
  if (plan.kind === 'storyboard') {
    return sheetBytesPerPixel[plan.settings.imageFormat] * pixelsOf(tileSheetSize(plan.tiles, plan.shape.size));
  }
  return encoderBytesPerPixel * pixelsOf(plan.kind === 'contact-sheet' ? plan.grid.size : plan.shape.size);
}

/** Throws if the image needs too much memory. */
export function admitImage<Plan extends FilmImagePlan>(
  target: ImageTarget<Plan>,
  { memoryLimitBytes }: Pick<PictureLimits, 'memoryLimitBytes'>,
): ImageTarget<Plan> {
  const { coded } = target.film;
  const filterBytes = filterBytesPerPixel * coded.width * coded.height;
  const neededBytes = estimateMemory([], target.film, decoderThreads) + filterBytes + encoderBytes(target.plan);
  admitMemory(neededBytes, memoryLimitBytes);
  return target;
}

/** Throws if the film does not allow the image. */
export function planImage(
  { image, label, named, isOptional }: ImageOutput,
  film: PictureSource,
  limits: Pick<PictureLimits, 'memoryLimitBytes'>,
  path: string,
): ImageProduct {
  const plan = orUnsupported(() => planFilmImage(image, { label, named }, film));
  return { kind: 'image', label, named, isOptional, ...admitImage({ plan, film, path }, limits) };
}
