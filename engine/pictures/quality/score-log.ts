import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Scores of each picture in display order. */
export interface PictureScoreList {
  vmaf: Float32Array;
  psnr: Float32Array;
  ssim: Float32Array;
  /** Average difference of each picture's pixels from the previous picture in the reference, in 8-bit steps. */
  motion: Float32Array;
}

/** libvmaf's names. */
const columns = { vmaf: 'vmaf', psnr: 'psnr_y', ssim: 'float_ssim', motion: 'integer_motion2' } as const;
const measures = Object.keys(columns) as (keyof typeof columns)[];

/** Reads libvmaf's CSV, which has a line per picture; a film has millions. */
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
