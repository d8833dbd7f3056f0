import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Of each picture, in the order in which they are shown. */
export interface PictureScoreList {
  vmaf: Float32Array;
  psnr: Float32Array;
  ssim: Float32Array;
  /** How far its pixels are from those of the picture before, in steps of 8 bits, of what it is compared with. */
  motion: Float32Array;
}

/** libvmaf's names. */
const columns = { vmaf: 'vmaf', psnr: 'psnr_y', ssim: 'float_ssim', motion: 'integer_motion2' } as const;
const measures = Object.keys(columns) as (keyof typeof columns)[];

/** Reads libvmaf's CSV, which has a line for each picture; one film has millions. */
export async function readScoreLog(path: string, mostPictures: number): Promise<PictureScoreList> {
  const scores = {} as PictureScoreList;
  for (const measure of measures) scores[measure] = new Float32Array(mostPictures);
  let places: Map<keyof PictureScoreList, number> | undefined;
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const cells = line.split(',');
    if (places === undefined) {
      places = new Map(measures.map((measure) => [measure, cells.indexOf(columns[measure])]));
      continue;
    }
    for (const [measure, place] of places) scores[measure][count] = Number(cells[place]);
    count += 1;
  }
  for (const measure of measures) scores[measure] = scores[measure].subarray(0, count);
  return scores;
}
