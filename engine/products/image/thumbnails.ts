import { rm } from 'node:fs/promises';
import { imageFiles } from '../../../contract/film-image-settings.ts';
import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import { collectPictures } from './collect-pictures.ts';
import { shownFrom } from './film-clock.ts';
import type { ThumbnailsPlan } from './film-image-plan.ts';
import type { ProductFile } from '../product/finished-product.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import { looks, rawBytes } from './image-look.ts';
import { writeStills } from './still-files.ts';

/** Maximum bytes of decoded pictures on disk before they are encoded. */
const mostRawBytes = 512 * 1024 ** 2;

export async function makeThumbnails(plan: ThumbnailsPlan, path: string, job: ImageJob): Promise<FilmImage> {
  const { settings, shape, numbers } = plan;
  const { imageFormat, quality } = settings;
  const { extension, contentType } = imageFiles[imageFormat];
  const look = looks[imageFormat];
  const files = numbers.map((number, index): ProductFile => {
    const name = `thumbnail-${String(index + 1).padStart(3, '0')}.${extension}`;
    return { name, path: `${path}-${name}`, contentType, at: roundToMilliseconds(shownFrom(job.film, number)) };
  });
  const atOnce = Math.max(1, Math.floor(mostRawBytes / rawBytes(shape.size, look)));
  const rawPath = `${job.path}-collected`;
  for (let from = 0; from < numbers.length; from += atOnce) {
    const taken = numbers.slice(from, from + atOnce);
    const onProgress = (fraction: number): void => job.onProgress((from + fraction * taken.length) / numbers.length);
    await collectPictures({ ...job, shape, look, onProgress }, taken, rawPath);
    const paths = files.slice(from, from + atOnce).map((file) => file.path);
    await writeStills(rawPath, paths, { imageFormat, quality, size: shape.size }, job);
    await rm(rawPath);
  }
  return { files, facts: { contentType, ...shape.size } };
}
