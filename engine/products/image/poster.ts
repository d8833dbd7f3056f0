import { readFile } from 'node:fs/promises';
import { imageFiles } from '../../../contract/film-image-settings.ts';
import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import { planShape } from '../../pictures/edits/size.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { shownSize } from '../../pictures/shown-size.ts';
import { choosePoster } from './choose-poster.ts';
import type { PosterPlan } from './film-image-plan.ts';
import { keyPictures, pictureCount, shownFrom, spreadOver } from './film-clock.ts';
import { grabPictures } from './grab-pictures.ts';
import { grayLook, looks } from './image-look.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import { measurePicture, type PictureMeasures } from './measure-picture.ts';
import { writeStills } from './still-files.ts';

/** Pictures inspected for the best one. Each takes 0.1 to 0.2 s of processor time in long films. */
const candidates = 24;

/** Pictures in about a minute; such a film is decoded whole. Longer films use key frames if they have enough. */
const shortFrames = 1500;
const enoughKeys = 8;

/** Pixels of the longer side: blur is visible at this size, whatever the film's size. */
const measuredSide = 640;

type Measured = PictureMeasures & { number: number };

/** Numbers of the pictures among which a poster is chosen (pure). */
export function posterCandidates(film: PictureSource): number[] {
  const keys = keyPictures(film);
  const count = pictureCount(film);
  if (count > shortFrames && keys.length >= enoughKeys) return spreadOver(keys, candidates);
  return spreadOver([...Array(count).keys()], candidates);
}

async function measurePictures(job: ImageJob, wanted: readonly number[]): Promise<Measured[]> {
  const shape = planShape({ width: measuredSide, height: measuredSide, fit: 'contain' }, shownSize(job.film));
  const { width, height } = shape.size;
  const measured: Measured[] = [];
  for await (const { numbers, path } of grabPictures({ ...job, shape, look: grayLook }, wanted, true)) {
    const pixels = await readFile(path);
    for (const [index, number] of numbers.entries()) {
      const picture = pixels.subarray(index * width * height, (index + 1) * width * height);
      measured.push({ number, ...measurePicture(picture, width) });
    }
  }
  return measured;
}

async function choosePicture(job: ImageJob): Promise<number> {
  const { film } = job;
  // Decoders show no lone key frame that is one of two fields, or that begins an intra refresh. Then all are tried.
  for (const numbers of [posterCandidates(film), spreadOver([...Array(pictureCount(film)).keys()], candidates)]) {
    const chosen = choosePoster(await measurePictures(job, numbers));
    if (chosen !== undefined) return chosen.number;
  }
  // If none of them can be decoded, the first picture fails with the reason.
  return 0;
}

export async function makePoster(
  { settings, shape, number }: PosterPlan,
  path: string,
  job: ImageJob,
): Promise<FilmImage> {
  const { imageFormat, quality } = settings;
  const searching = { ...job, onProgress: (fraction: number) => job.onProgress(fraction * 0.9) };
  const chosen = number ?? (await choosePicture(searching));
  const taking = { ...job, onProgress: (fraction: number) => job.onProgress(0.9 + fraction * 0.1) };
  for await (const grabbed of grabPictures({ ...taking, shape, look: looks[imageFormat] }, [chosen])) {
    await writeStills(grabbed.path, [path], { imageFormat, quality, size: shape.size }, job);
  }
  const { contentType } = imageFiles[imageFormat];
  const at = roundToMilliseconds(shownFrom(job.film, chosen));
  return { files: [{ name: '', path, contentType }], facts: { contentType, ...shape.size, at } };
}
