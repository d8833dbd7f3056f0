import { rm } from 'node:fs/promises';
import { imageFiles } from '../../../contract/film-image-settings.ts';
import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import { collectPictures } from './collect-pictures.ts';
import { filmSeconds } from './film-clock.ts';
import type { ContactSheetPlan } from './film-image-plan.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import { looks } from './image-look.ts';
import { tileFilter } from './sheet-grid.ts';
import { writeStills } from './still-files.ts';

/** Draws pictures of the whole film on one sheet, row by row. */
export async function makeContactSheet(plan: ContactSheetPlan, path: string, job: ImageJob): Promise<FilmImage> {
  const { settings, shape, numbers, grid } = plan;
  const { imageFormat, quality } = settings;
  const rawPath = `${job.path}-collected`;
  await collectPictures({ ...job, shape, look: looks[imageFormat] }, numbers, rawPath);
  const tiled = { size: grid.size, filter: tileFilter(grid) };
  await writeStills(rawPath, [path], { imageFormat, quality, size: shape.size, tiled }, job);
  await rm(rawPath);
  const { contentType } = imageFiles[imageFormat];
  const { columns, rows } = grid;
  const interval = roundToMilliseconds(filmSeconds(job.film) / numbers.length);
  const tiles = { count: numbers.length, interval, columns, rows };
  return { files: [{ name: '', path, contentType }], facts: { contentType, ...grid.size, tiles } };
}
