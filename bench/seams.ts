/**
 * Are the seams between segments audible? Compares files of many segments with a single run's at the seams and at
 * control places: the ratio of their errors against the source in dB, and the lag. `npm run bench:seams -- [seconds]
 * [segments] [folder for pictures]`, 900, 51 and none by default.
 */
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { music, speech } from '../test/engine/sound/segmented/inputs.ts';
import { audioIn, jobIn, segmentedRun, prepare, singleRun } from '../test/engine/sound/segmented/support.ts';
import { run } from '../test/support/process.ts';
import { randomNumbers } from '../test/support/random.ts';
import { percentile } from './percentile.ts';
import { compare, report } from './report.ts';

const [seconds = 900, segments = 51] = process.argv.slice(2, 4).map(Number);
const pictureFolder = process.argv[4];
const seed = Number(process.env['HOLDFAST_SEED'] ?? 6);

interface Case {
  name: string;
  input: () => Promise<string>;
  format: string;
  /** samples from the beginning of the file to the middle of what frame `frame` adds */
  sampleOf(frame: number): number;
}

/** A packet starts 312 samples (pre-skip at 48 kHz) before its sound. */
const opusSampleOf = (frame: number): number => frame * 960 - 312;
/** Half of the overlap with the previous frame, after one frame of priming. */
const aacSampleOf = (frame: number): number => (frame - 1) * 1024 + 512;

const cases: Case[] = [
  { name: 'opus 96k music', input: () => music({ seconds }), format: 'opus_96', sampleOf: opusSampleOf },
  { name: 'opus 24k speech', input: () => speech({ seconds }), format: 'opus_24', sampleOf: opusSampleOf },
  { name: 'aac 128k music', input: () => music({ seconds }), format: 'aac_128', sampleOf: aacSampleOf },
  { name: 'aac 64k speech', input: () => speech({ seconds }), format: 'aac_64', sampleOf: aacSampleOf },
];

/**
 * Control places for each seam: encoders err by some dB more in a frame now and then, and controls show by how much.
 */
const controlsASeam = 8;

/** Places evenly spread between two seams. */
function placesBetween(from: number, to: number): number[] {
  return Array.from({ length: controlsASeam }, (_, index) =>
    Math.round(from + ((to - from) * (index + 1)) / (controlsASeam + 1)),
  );
}

const sampleBytes = 2;

/** Samples of a decoded file, read on demand. */
class Decoded {
  readonly samples: number;
  readonly #file: FileHandle;
  readonly #channels: number;

  private constructor(file: FileHandle, channels: number, samples: number) {
    this.#file = file;
    this.#channels = channels;
    this.samples = samples;
  }

  static async of(path: string, channels: number, sampleRate: number): Promise<Decoded> {
    const raw = `${path}.raw`;
    const options = ['-ac', String(channels), '-ar', String(sampleRate), '-f', 's16le'];
    const { code, output } = await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', path, ...options, raw]);
    if (code !== 0) throw new Error(output);
    const file = await open(raw);
    return new Decoded(file, channels, (await file.stat()).size / channels / sampleBytes);
  }

  /** All channels, interleaved. */
  async part(from: number, count: number): Promise<Int16Array> {
    const bytes = Buffer.alloc(count * this.#channels * sampleBytes);
    await this.#file.read(bytes, 0, bytes.length, from * this.#channels * sampleBytes);
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / sampleBytes);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function errorPower(source: Int16Array, decoded: Int16Array): number {
  // Half a step of 16 bits; below it there is no error to compare.
  return source.reduce((sum, sample, index) => sum + (sample - (decoded[index] ?? 0)) ** 2, source.length * 0.25);
}

/** Window on each side of a seam; a shorter one may hold only a pause and the first cycles of a word. */
const lagWindowSeconds = 1;

/** Shift of `b` that fits `a` best. */
function lagOf(a: Int16Array, b: Int16Array, channels: number): number {
  const most = 32;
  let best = { lag: 0, product: -Infinity };
  for (let lag = -most; lag <= most; lag += 1) {
    let product = 0;
    for (let at = most * channels; at < a.length - most * channels; at += channels) {
      product += (a[at] ?? 0) * (b[at + lag * channels] ?? 0);
    }
    if (product > best.product) best = { lag, product };
  }
  return best.lag;
}

const summary = (values: readonly number[]) => ({
  median: percentile(values, 0.5),
  p90: percentile(values, 0.9),
  worst: percentile(values, 1),
});

/** Draws the single run above and the segmented one below: waveforms, then spectrograms. The seam is in the middle. */
async function draw(single: string, segmented: string, atSeconds: number, picture: string): Promise<void> {
  const cut =
    `atrim=start=${(atSeconds - 0.25).toFixed(4)}:end=${(atSeconds + 0.25).toFixed(4)},asetpts=PTS-STARTPTS,` +
    'aresample=48000,aformat=channel_layouts=mono:sample_fmts=flt';
  // A column of the spectrogram is 5 ms.
  const views = (input: number): string =>
    `[${input}]${cut},asplit[w${input}][s${input}];` +
    `[w${input}]showwavespic=s=960x160:colors=steelblue:scale=sqrt,format=rgb24[wave${input}];` +
    `[s${input}]showspectrumpic=s=96x256:legend=0:scale=log:color=viridis:stop=16000:gain=4,` +
    `scale=960:256:flags=neighbor,format=rgb24[spectrum${input}]`;
  const graph = `${views(0)};${views(1)};[wave0][wave1][spectrum0][spectrum1]vstack=4`;
  const options = ['-nostdin', '-v', 'error', '-y', '-i', single, '-i', segmented, '-filter_complex', graph];
  const { code, output } = await run('ffmpeg', [...options, '-frames:v', '1', picture]);
  if (code !== 0) throw new Error(output);
}

console.log(`Inputs of ${seconds} s in ${segments} segments, cuts moved by seed ${seed}`);
let allSeams = 0;
for (const { name, input, format, sampleOf } of cases) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-seams-'));
  try {
    const path = await input();
    const { source, plan } = await prepare(path, { format });
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const { file } = await segmentedRun(source, plan, segments, randomNumbers(seed), jobIn(folder), segmented);
    if (file === undefined) throw new Error('nothing was encoded');
    await singleRun(path, plan, single);
    const { channels, sampleRate } = audioIn(plan);
    const original = join(folder, 'original.wav');
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-i', path, '-ar', String(sampleRate), original]);
    const decode = (file: string) => Decoded.of(file, channels, sampleRate);
    const [a, b, truth] = [await decode(single), await decode(segmented), await decode(original)];
    const places = file.seamFrames.map(sampleOf);
    const controls = places.slice(1).flatMap((place, index) => placesBetween(places[index] ?? 0, place));
    const gains = async (spots: readonly number[], milliseconds: number): Promise<number[]> => {
      const half = Math.round((sampleRate * milliseconds) / 1000);
      const decibels: number[] = [];
      for (const spot of spots) {
        const [x, y, z] = [truth, b, a].map((file) => file.part(spot - half, 2 * half));
        const [sound, made2, made1] = [await x!, await y!, await z!];
        decibels.push(10 * Math.log10(errorPower(sound, made2) / errorPower(sound, made1)));
      }
      return decibels;
    };
    let lags = 0;
    const beside = Math.round(sampleRate * lagWindowSeconds);
    for (const place of places) {
      for (const from of [place - beside, place]) {
        if (lagOf(await a.part(from, beside), await b.part(from, beside), channels) !== 0) lags += 1;
      }
    }
    allSeams += places.length;
    const { exact, matched } = file.seams;
    console.log(
      `${name}: ${places.length} seams (${exact} exact, ${matched} matched), samples ${b.samples} of ${a.samples}, sides of seams with a lag: ${lags}`,
    );
    for (const milliseconds of [10, 50]) {
      const [seams, control] = [await gains(places, milliseconds), await gains(controls, milliseconds)];
      const [there, elsewhere] = [summary(seams), summary(control)];
      const isFine =
        there.median - elsewhere.median <= 0.5 && there.p90 - elsewhere.p90 <= 1 && there.worst - elsewhere.worst <= 1;
      const minus = (of: keyof typeof there) =>
        compare('dB', [there[of]], [elsewhere[of]], (seam, control) => seam - control, 'controls');
      const figures = { median: minus('median'), '90th percentile': minus('p90'), worst: minus('worst') };
      report('seams', `${name}, within ${milliseconds} ms`, figures);
      if (!isFine) console.log('  The seams are WORSE than the controls.');
      if (milliseconds === 10 && pictureFolder !== undefined) {
        const worst = places[seams.indexOf(there.worst)] ?? 0;
        const picture = join(pictureFolder, `seam-${format.replace('_', '-')}.png`);
        await draw(single, segmented, worst / sampleRate, picture);
        console.log(`  the worst, at ${(worst / sampleRate).toFixed(3)} s, is drawn in ${picture}`);
      }
    }
    await Promise.all([a, b, truth].map((file) => file.close()));
  } finally {
    await rm(folder, { recursive: true });
  }
}
console.log(`${allSeams} seams in all`);
