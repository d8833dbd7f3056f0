import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readScoreLog } from '../engine/pictures/quality/score-log.ts';
import { samplesOf } from '../test/support/media-files.ts';
import { run } from '../test/support/process.ts';
import { toolPath } from '../test/support/tools.ts';
import { inUnit } from './report.ts';

const vmaf = await toolPath('VMAF_FFMPEG_PATH');

/** Paths of a source, and of what one container and several have made of it. */
export interface Compared {
  source: string;
  one: string;
  many: string;
}

/** Most pictures of a compared film. */
const mostPictures = 1_000_000;

/** VMAF of each picture of a made film. */
async function scoresOf(path: string, film: string, fps: number, folder: string): Promise<Float32Array> {
  const log = join(folder, 'scores.csv');
  const alike = `format=yuv420p,setparams=range=tv,settb=1/${fps},setpts=N`;
  const options = `n_threads=${availableParallelism()}:feature=name=psnr|name=float_ssim:log_fmt=csv:log_path=${log}`;
  const graph = `[0:v]${alike}[made];[1:v]${alike}[film];[made][film]libvmaf=${options}`;
  const args = ['-nostdin', '-v', 'error', '-i', path, '-i', film, '-filter_complex', graph, '-f', 'null', '-'];
  const { code, output } = await run(vmaf, args, { timeoutMs: 3_600_000 });
  if (code !== 0) throw new Error(output);
  return (await readScoreLog(log, mostPictures)).vmaf;
}

const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean of the second around a seam. */
const around = (scores: Float32Array, seam: number): number => mean(scores.subarray(Math.max(0, seam - 12), seam + 13));

/** Score below which 1 % of the pictures are. */
const lowest = (scores: Float32Array): number => scores.toSorted()[Math.floor(scores.length / 100)] ?? Number.NaN;

/** Compares the pictures. `seams`: pictures at which a segment begins. `folder` gets a log. */
export async function comparePictures(
  { source, one, many }: Compared,
  seams: readonly number[],
  { fps, folder }: { fps: number; folder: string },
) {
  const [alone, together] = [await scoresOf(one, source, fps, folder), await scoresOf(many, source, fps, folder)];
  const worst = Math.min(...seams.map((seam) => around(together, seam) - around(alone, seam)));
  return {
    'mean VMAF': inUnit('count', mean(together)),
    'mean VMAF of one': inUnit('count', mean(alone)),
    'lowest 1 %': inUnit('count', lowest(together)),
    'lowest 1 % of one': inUnit('count', lowest(alone)),
    'worst seam': inUnit('count', worst),
  };
}

const sampleRate = 48_000;

/** Compares the sound. `seams`: milliseconds at which a segment begins. The figure is in dB of the error. */
export async function compareSound({ source, one, many }: Compared, seams: readonly number[]) {
  const sounds = [
    await samplesOf(source, sampleRate),
    await samplesOf(one, sampleRate),
    await samplesOf(many, sampleRate),
  ];
  const [original, alone, together] = sounds as [Int16Array, Int16Array, Int16Array];
  const errorAt = (made: Int16Array, seam: number): number => {
    const middle = (seam * sampleRate) / 1000;
    let error = 0.25 * sampleRate;
    for (let at = Math.max(0, middle - sampleRate / 2); at < middle + sampleRate / 2; at += 1) {
      error += ((original[at] ?? 0) - (made[at] ?? 0)) ** 2;
    }
    return error;
  };
  const worst = Math.min(...seams.map((seam) => 10 * Math.log10(errorAt(alone, seam) / errorAt(together, seam))));
  return { 'worst seam': inUnit('dB', worst) };
}
