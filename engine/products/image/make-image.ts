import { makeContactSheet } from './contact-sheet.ts';
import type { FilmImagePlan } from './film-image-plan.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import { makePoster } from './poster.ts';
import { makePreview } from './preview.ts';
import { makeStoryboard } from './storyboard.ts';
import { makeThumbnails } from './thumbnails.ts';

/** Draws one image at `path`, or at names that start with it. */
export function makeImage(plan: FilmImagePlan, path: string, job: ImageJob): Promise<FilmImage> {
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
