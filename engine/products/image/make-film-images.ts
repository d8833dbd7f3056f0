import type { FilmImageSettings } from '../../../contract/film-image-settings.ts';
import type { EncodeTarget } from '../../plan/encoded-file.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import type { OutputPlan } from '../../plan/planned-output.ts';
import { orUnsupported } from '../../unsupported.ts';
import { decoderThreads } from '../../ffmpeg/picture-entry.ts';
import { admitMemory, estimateMemory } from '../../pictures/memory.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { Work } from '../../work.ts';
import { type FilmImagePlan, planFilmImage } from './film-image-plan.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import { makeContactSheet } from './contact-sheet.ts';
import { makePoster } from './poster.ts';
import { makePreview } from './preview.ts';
import { makeStoryboard } from './storyboard.ts';
import { makeThumbnails } from './thumbnails.ts';

/** An output that is made of pictures of the film, and where its file goes. */
export interface FilmImageTarget extends EncodeTarget {
  plan: OutputPlan & { filmImage: FilmImageSettings };
}

export function isFilmImage<Target extends EncodeTarget>(target: Target): target is Target & FilmImageTarget {
  return target.plan.filmImage !== undefined;
}

interface PlannedImages<Target extends FilmImageTarget> {
  film: PictureSource | undefined;
  plans: ReadonlyMap<Target, FilmImagePlan>;
}

/** Bytes for each pixel of the film that filters hold, and for each of an image that its encoder holds: as libaom does of a still picture. */
const filterBytesPerPixel = 32;
const encoderBytesPerPixel = 60;

/** Decides what images are made of. Throws where one cannot be, before anything is encoded. */
export function planFilmImages<Target extends FilmImageTarget>(
  targets: readonly Target[],
  film: PictureSource | undefined,
  limits: PictureLimits,
): PlannedImages<Target> {
  if (film === undefined || targets.length === 0) return { film, plans: new Map() };
  const plans = new Map(
    targets.map((target) => [target, orUnsupported(() => planFilmImage(target.plan.filmImage, target.plan, film))]),
  );
  const pixels = film.coded.width * film.coded.height;
  const sizes = [...plans.values()].map((plan) => (plan.kind === 'contact-sheet' ? plan.grid : plan.shape).size);
  const largest = Math.max(0, ...sizes.map(({ width, height }) => width * height));
  const bytes = estimateMemory([], film, decoderThreads) + filterBytesPerPixel * pixels;
  admitMemory(bytes + encoderBytesPerPixel * largest, limits.memoryLimitBytes);
  return { film, plans };
}

/** Makes the files of all images, one after the other, and answers what is to be told of each. */
export async function makeFilmImages<Target extends FilmImageTarget>(
  { film, plans }: PlannedImages<Target>,
  limits: PictureLimits,
  job: Work,
): Promise<Map<Target, FilmImage>> {
  const made = new Map<Target, FilmImage>();
  if (film === undefined) return made;
  for (const [target, plan] of plans) {
    const before = made.size;
    const image = await makeImage(plan, target.path, {
      ...{ film, limits, path: `${target.path}-pictures`, signal: job.signal },
      onProgress: (fraction) => job.advance('encode', (before + fraction) / plans.size),
    });
    made.set(target, image);
  }
  return made;
}

function makeImage(plan: FilmImagePlan, path: string, job: ImageJob): Promise<FilmImage> {
  switch (plan.kind) {
    case 'poster':
      return makePoster(plan, path, job);
    case 'thumbnails':
      return makeThumbnails(plan, path, job);
    case 'storyboard':
      return makeStoryboard(plan, path, job);
    case 'contact-sheet':
      return makeContactSheet(plan, path, job);
    case 'preview':
      return makePreview(plan, path, job);
  }
}
