import type { PictureLimits } from '../../ffmpeg/limits.ts';
import type { Work } from '../../work.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import type { ImageProduct, ImageTarget } from './plan-product.ts';

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
    // The makers of images load only for images, so that a container starts sooner.
    const { makeImage } = await import('./make-image.ts');
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
