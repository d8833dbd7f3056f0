/**
 * Does a crf for each scene save bits? Encodes films of six scenes of different difficulty with a target per film and with
 * a target per scene, and then by single crfs, between which the size at the same mean VMAF is interpolated.
 * `npm run bench:scenes -- [films] [vmaf] [height]`, 12, 93 and 216 by default. The clips come from PyPI.
 */
import { join } from 'node:path';
import { EncodeResult } from '../contract/http/encode.ts';
import type { QualityTarget } from '../contract/http/checks.ts';
import { TestContainer } from '../test/support/container.ts';
import { toolPath } from '../test/support/tools.ts';
import { inUnit, report } from './report.ts';
import { makeSceneFilm, withClips } from './scene-films.ts';

const [count = 12, vmaf = 93, height = 216] = process.argv.slice(2).map(Number);
await toolPath('VMAF_FFMPEG_PATH');
const container = await TestContainer.start({ JOB_TIMEOUT_SECONDS: '86400' });

interface Made {
  crf: number;
  bytes: number;
  mean: number;
  lowest: number;
  cpuSeconds: number;
  scenes: number;
}

async function encode(film: string, asked: { target: QualityTarget } | { crf: number }): Promise<Made> {
  const video = { codec: 'h264', ...('crf' in asked && { crf: asked.crf }) };
  const checks = 'crf' in asked ? { quality: true } : { target: asked.target };
  const output = { container: 'mp4', video, ...checks, uploadUrl: container.fileUrl('made.mp4') };
  const { body } = await container.call('POST', '/encode', { sourceUrl: container.fileUrl(film), outputs: [output] });
  if (body.success !== true) throw new Error(JSON.stringify(body));
  const { outputs, usage } = EncodeResult.parse(body);
  const [made] = outputs;
  const { mean = Number.NaN, percentile1: lowest = Number.NaN } = made?.quality?.vmaf ?? {};
  return {
    ...{ crf: made?.target?.crf ?? ('crf' in asked ? asked.crf : Number.NaN), bytes: made?.size ?? Number.NaN },
    ...{ mean, lowest, cpuSeconds: usage?.cpuSeconds ?? Number.NaN, scenes: made?.target?.scenes?.count ?? 1 },
  };
}

/** Size and lowest score that one crf has at this mean. */
async function atMean(film: string, one: Made, mean: number): Promise<Pick<Made, 'bytes' | 'lowest'>> {
  // Most films lose about one point for each step.
  const other = await encode(film, {
    crf: Math.max(1, one.crf + (one.mean >= mean ? 1 : -1) * Math.max(0.5, Math.abs(one.mean - mean))),
  });
  const share = (mean - one.mean) / (other.mean - one.mean);
  return {
    bytes: Math.exp(Math.log(one.bytes) + share * Math.log(other.bytes / one.bytes)),
    lowest: one.lowest + share * (other.lowest - one.lowest),
  };
}

interface Compared {
  bits: number;
  mean: number;
  lowest: number;
  lowestOfOne: number;
  cpu: number;
}

async function compare(number: number, clips: string): Promise<Compared> {
  const film = `film-${number}.mp4`;
  await makeSceneFilm(join(container.mediaRoot, film), number, height, clips);
  const one = await encode(film, { target: { vmaf } });
  const perScene = await encode(film, { target: { vmaf, per: 'scene' } });
  const equal = await atMean(film, one, perScene.mean);
  const compared = {
    bits: perScene.bytes / equal.bytes,
    ...{ mean: perScene.mean, lowest: perScene.lowest, lowestOfOne: equal.lowest },
    cpu: perScene.cpuSeconds / one.cpuSeconds,
  };
  reportFilms(`film ${number}, ${perScene.scenes} scenes`, [compared]);
  return compared;
}

const meanOf = (films: readonly Compared[], figure: keyof Compared): number =>
  films.reduce((sum, film) => sum + film[figure], 0) / films.length;

/** Means of the films. */
function reportFilms(what: string, films: readonly Compared[]): void {
  report('scenes', what, {
    'bits at equal mean VMAF': inUnit('ratio', meanOf(films, 'bits')),
    'mean VMAF': inUnit('count', meanOf(films, 'mean')),
    'lowest 1 %': inUnit('count', meanOf(films, 'lowest')),
    'lowest 1 % of one crf': inUnit('count', meanOf(films, 'lowestOfOne')),
    CPU: inUnit('ratio', meanOf(films, 'cpu')),
  });
}

const films: Compared[] = [];
try {
  await withClips(async (clips) => {
    for (let number = 0; number < count; number += 1) films.push(await compare(number, clips));
  });
} finally {
  await container.stop();
}
reportFilms(`all ${count} films`, films);
const goals: readonly [string, boolean][] = [
  ['at least 8 % fewer bits than one crf at equal mean VMAF', meanOf(films, 'bits') <= 0.92],
  ['the lowest 1 % within 2 points of the target', meanOf(films, 'lowest') >= vmaf - 2],
  ['at most 1.5 times the processor time', meanOf(films, 'cpu') <= 1.5],
];
for (const [goal, isReached] of goals) console.log(`${isReached ? 'Reached' : 'NOT reached'}: ${goal}.`);
