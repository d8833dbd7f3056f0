import type { PictureLimits } from '../../ffmpeg/limits.ts';
import type { Work } from '../../work.ts';
import { makeContactSheet } from './contact-sheet.ts';
import type { FilmImagePlan } from './film-image-plan.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import type { ImageProduct, ImageTarget } from './plan-product.ts';
import { makePoster } from './poster.ts';
import { makePreview } from './preview.ts';
import { makeStoryboard } from './storyboard.ts';
import { makeThumbnails } from './thumbnails.ts';

export interface MadeImage {
  kind: 'image';
  product: ImageProduct;
  image: FilmImage;
}

/** Draws one image after the other. */
export async function drawImages<Target extends ImageTarget>(
  targets: readonly Target[],
  limits: PictureLimits,
  work: Work,
): Promise<Map<Target, FilmImage>> {
  const drawn = new Map<Target, FilmImage>();
  for (const [index, target] of targets.entries()) {
    const job: ImageJob = {
      film: target.film,
      limits,
      path: `${target.path}-pictures`,
      signal: work.signal,
      onProgress: (fraction) => work.advance('encode', (index + fraction) / targets.length),
    };
    drawn.set(target, await makeImage(target.plan, target.path, job));
  }
  return drawn;
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
