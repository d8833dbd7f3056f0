import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { imageFiles } from '../../../contract/film-image-settings.ts';
import { runWithinLimits } from '../../ffmpeg/limited-run.ts';
import { decoderThreads } from '../../ffmpeg/picture-entry.ts';
import type { FinalStatistics } from '../../ffmpeg/statistics.ts';
import { entryFilters, statedTags } from '../../pictures/picture-filters.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import { pictureDecodeGuards } from '../../ffmpeg/guards.ts';
import { checkBif, writeBif } from '../../formats/bif/bif.ts';
import { MalformedFile } from '../../formats/malformed-file.ts';
import { formatVtt, parseVtt } from '../../formats/webvtt/webvtt.ts';
import { filmSeconds, secondsOfPicture } from './film-clock.ts';
import type { StoryboardPlan } from './film-image-plan.ts';
import { deinterlacing } from './grab-filters.ts';
import { checkShapes } from './grab-pictures.ts';
import type { ProductFile } from '../product/finished-product.ts';
import type { FilmImage, ImageJob } from './image-job.ts';
import { imageChains, joinChains, recolourFilter } from './image-filters.ts';
import { type ImageLook, looks } from './image-look.ts';
import { invalidImage } from './invalid-image.ts';
import { checkStills, numberedStills, stillPath } from './still-files.ts';
import { countKeys, isOfKeysOnly, layOutTiles, tileCues, tileSheetSize } from './tile-plan.ts';

/** The tiles of a BIF are always JPEG. */
const bifQuality = 75;

/** Draws sprite sheets, a WebVTT that maps times to tiles, and Roku's BIF of the same tiles. */
export async function makeStoryboard(plan: StoryboardPlan, path: string, job: ImageJob): Promise<FilmImage> {
  const { settings, shape, tiles, intervalMs } = plan;
  const { imageFormat, quality } = settings;
  const { size } = shape;
  const { columns, rows, sheets } = layOutTiles(tiles);
  const [tileStem, sheetStem] = [`${path}-tile`, `${path}-sheet`];
  const tileStills = { imageFormat: 'jpeg', quality: bifQuality, size } as const;
  const sheetStills = { imageFormat, quality, size: tileSheetSize(tiles, size) };
  const seconds = filmSeconds(job.film);
  const outputs = [numberedStills(tileStem, '[tiles]', tileStills), numberedStills(sheetStem, '[sheets]', sheetStills)];
  const onAdvance = (done: number): void => job.onProgress(Math.min(0.9, done / seconds));
  const draw = async (keysOnly: boolean): Promise<FinalStatistics> => {
    const inputOptions = [
      ...[...pictureDecodeGuards(decoderThreads), '-copyts'],
      // A program stream does not stamp every key frame, and the decoder would guess by those that it skips.
      ...(keysOnly ? ['-skip_frame', 'nokey', '-fflags', '+genpts'] : []),
      ...['-filter_complex', tileGraph(plan, job.film, keysOnly)],
    ];
    const run = { input: job.film.path, inputOptions, outputs };
    return await runWithinLimits(run, job.limits, job.signal, onAdvance);
  };
  const keysOnly = isOfKeysOnly(job.film, intervalMs);
  let drawn = await draw(keysOnly);
  // Decoders show no lone key frame that begins an intra refresh, or that is one of two fields.
  if (keysOnly && drawn.decodedFrames < countKeys(job.film, (tiles - 1) * intervalMs)) drawn = await draw(false);
  checkShapes(job.film, drawn);
  await checkStills(tileStem, tiles, tileStills, job);
  await checkStills(sheetStem, sheets, sheetStills, job);

  const { extension, contentType } = imageFiles[imageFormat];
  const sheetName = (sheet: number): string => `sprite-${String(sheet + 1).padStart(3, '0')}.${extension}`;
  const files: ProductFile[] = [];
  for (let sheet = 0; sheet < sheets; sheet += 1) {
    const file = { name: sheetName(sheet), path: `${path}-${sheetName(sheet)}`, contentType };
    await rename(stillPath(sheetStem, imageFormat, sheet + 1), file.path);
    files.push(file);
  }
  const bif = { name: 'storyboard.bif', path: `${path}-storyboard.bif`, contentType: 'application/octet-stream' };
  await writeBif(bif.path, { count: tiles, intervalMs }, (tile) => readFile(stillPath(tileStem, 'jpeg', tile + 1)));
  for (let tile = 1; tile <= tiles; tile += 1) await rm(stillPath(tileStem, 'jpeg', tile));
  const vtt = { name: 'storyboard.vtt', path: `${path}-storyboard.vtt`, contentType: 'text/vtt' };
  const cues = tileCues({ tiles, intervalMs, seconds }, size, sheetName);
  await writeFile(vtt.path, formatVtt(cues), { flag: 'wx' });
  try {
    await checkBif(bif.path, { count: tiles, intervalMs });
    const isRead = JSON.stringify(parseVtt(await readFile(vtt.path, 'utf8'))) === JSON.stringify(cues);
    if (!isRead) throw new MalformedFile('a WebVTT of other cues');
  } catch (error) {
    if (error instanceof MalformedFile) throw invalidImage(`it is ${error.message}`);
    throw error;
  }
  // The file that names the others comes last.
  const facts = { ...size, tiles: { count: tiles, interval: intervalMs / 1000, columns, rows } };
  return { files: [...files, bif, vtt], facts };
}

/** Common format of all tiles before some become JPEG and some a sheet: every value of an 8-bit picture is possible. */
const tileLook: ImageLook = { pixelFormat: 'yuv444p', colour: ':out_color_matrix=bt709:out_range=tv' };

/**
 * Times of pictures, and the end of the stream, which `setpts` also evaluates: ffmpeg ends it after the last picture that
 * it decodes, and `fps` would not show a last picture that ends within a tick.
 */
function untilEnd({ stamps, keyTicks, endTicks }: PictureSource, keysOnly: boolean): string {
  const last = (keysOnly ? keyTicks : stamps)?.at(-1);
  return last === undefined ? 'PTS' : `if(gte(PREV_INPTS\\,${last})\\,max(PTS\\,${endTicks})\\,PTS)`;
}

/**
 * Selects for each tick of the storyboard the last picture at or before it: `fps` rounds times up to ticks and keeps
 * the last picture of a tick. `tpad` holds the last picture to the end.
 */
function tileGraph(plan: StoryboardPlan, film: PictureSource, keysOnly: boolean): string {
  const { settings, shape, tiles, intervalMs, viewFilters } = plan;
  const { startTicks, timeBase, isStamped, heldBack, constantRate } = film;
  // Without timestamps, each picture has the time of the packet that released it from the decoder.
  const lateSeconds = isStamped || constantRate === undefined ? 0 : heldBack / valueOf(constantRate);
  const aheadTicks = Math.round((secondsOfPicture(film, 0) - lateSeconds) / valueOf(timeBase));
  const { columns, rows } = layOutTiles(tiles);
  const head = [
    ...entryFilters(film),
    ...statedTags(film),
    ...deinterlacing(film, keysOnly),
    `settb=${timeBase.num}/${timeBase.den}`,
    `setpts=${untilEnd(film, keysOnly)}-(${startTicks - aheadTicks})`,
    `fps=fps=1000/${intervalMs}:start_time=0:round=up`,
    `tpad=stop_mode=clone:stop=${tiles}`,
    `trim=end_frame=${tiles}`,
    ...viewFilters,
  ];
  const [jpeg, sheet] = [looks.jpeg, looks[settings.imageFormat]];
  return [
    `${joinChains(`[0:${film.index}]`, head, imageChains(film, shape, tileLook, 'tile'))},setparams=colorspace=bt709:range=tv,split=2[one][many]`,
    `[one]${recolourFilter(jpeg)},format=${jpeg.pixelFormat}[tiles]`,
    `[many]tile=layout=${columns}x${rows},${recolourFilter(sheet)},format=${sheet.pixelFormat}[sheets]`,
  ].join(';');
}
