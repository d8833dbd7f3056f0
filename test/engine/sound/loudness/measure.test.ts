import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeGuards } from '../../../../engine/ffmpeg/guards.ts';
import { measureFiles } from '../../../../engine/sound/loudness/measure-files.ts';
import { loudnessOf } from '../../../../engine/sound/loudness/loudness.ts';
import { measureRun, meterOptions } from '../../../../engine/sound/loudness/measure-part.ts';
import { SourceMeter } from '../../../../engine/sound/loudness/measure-source.ts';
import type { AudioPlan } from '../../../../engine/plan/audio-plan.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { randomNumbers } from '../../../support/random.ts';
import { meterOf } from '../../../media/meter.ts';
import { wavFile } from '../../../media/wav.ts';
import { makeOnce } from '../../../support/media.ts';
import { encoded, music } from '../segmented/inputs.ts';
import { audioIn, inFolder, jobIn, limits, prepare } from '../segmented/support.ts';

/** Music that is loud in its first third and quiet after it, to exercise gates and percentiles. */
const uneven = async (): Promise<string> =>
  await makeOnce('uneven-40s.wav', [
    ...['-i', await music({ seconds: 40 }), '-af', "volume=eval=frame:volume='if(lt(t,13),1,0.12)'"],
  ]);

async function measureSource(
  path: string,
  encodeParallelism: number,
  change: Partial<AudioPlan> = {},
  output: DescribedOutput = { format: 'mp3_128' },
) {
  return await inFolder(async (folder) => {
    const { source, plan } = await prepare(path, output);
    const meter = new SourceMeter(source, { ...limits, encodeParallelism }, jobIn(folder));
    return await meter.measure({ ...audioIn(plan), ...change });
  });
}

test.each<[string, string[]]>([
  ['wav', ['-c:a', 'pcm_s16le']],
  ['flac', ['-c:a', 'flac']],
  ['mp3', ['-b:a', '128k']],
  ['m4a', ['-c:a', 'aac', '-b:a', '128k']],
])('a %s measures the same in parts, in one run, and with another meter', async (ending, options) => {
  const path = await encoded(await uneven(), `uneven-40s-as.${ending}`, options);
  const [inParts, byOne, judge] = [await measureSource(path, 2), await measureSource(path, 1), await meterOf(path)];
  expect(inParts.integrated).toBeCloseTo(byOne.integrated, 2);
  expect(inParts.range).toBeCloseTo(byOne.range, 2);
  expect(inParts.truePeak).toBeCloseTo(byOne.truePeak, 3);
  expect(Math.abs(inParts.integrated - judge.integrated)).toBeLessThan(0.03);
  expect(inParts.truePeak).toBeCloseTo(judge.truePeak, 1);
});

test.each<DescribedOutput>([
  { format: 'mp3_128', trim: { start: 2.71828, end: 38.1 }, fade: { in: 21, out: 3 } },
  { format: 'mp3_128', silence: { shortenTo: 0.25, threshold: -20 } },
  { format: 'mp3_128', level: 'speech' },
])('the result of %j measures the same in parts and in one run', async (output) => {
  const path = await encoded(await uneven(), 'uneven-40s-as.mp3', ['-b:a', '128k']);
  const [inParts, byOne] = [await measureSource(path, 2, {}, output), await measureSource(path, 1, {}, output)];
  expect(inParts.integrated).toBeCloseTo(byOne.integrated, 2);
  expect(inParts.range).toBeCloseTo(byOne.range, 2);
  expect(inParts.truePeak).toBeCloseTo(byOne.truePeak, 3);
});

test.each(['mp3', 'm4a', 'ogg', 'flac', 'wav'] as const)(
  'an encoded %s measures the same in parts and in one run',
  async (container) => {
    const path = await encoded(
      await uneven(),
      `uneven-40s.encoded.${container}`,
      container === 'ogg' ? ['-c:a', 'libopus'] : [],
    );
    const file = { path, container, sampleRate: container === 'ogg' ? 48_000 : 44_100, seconds: 40 };
    const by = async (encodeParallelism: number) =>
      await inFolder(async (folder) => {
        const [measured] = await measureFiles([file], { ...limits, encodeParallelism }, jobIn(folder));
        return measured && loudnessOf(measured);
      });
    const [inParts, byOne, judge] = [await by(2), await by(1), await meterOf(path)];
    expect(inParts?.integrated).toBeCloseTo(byOne?.integrated ?? 0, 1);
    expect(inParts?.truePeak).toBeCloseTo(byOne?.truePeak ?? 0, 1);
    expect(Math.abs((byOne?.integrated ?? 0) - judge.integrated)).toBeLessThan(0.03);
  },
);

test('mono of a stereo source is measured as mono, and telephone rates as the sound that they keep', async () => {
  const path = await uneven();
  const stereo = await measureSource(path, 2);
  const mono = await measureSource(path, 2, { channels: 1 });
  // In floating point, ffmpeg adds channels without attenuation, because nothing can clip.
  const mixed = ['-af', 'aformat=sample_fmts=fltp:channel_layouts=mono', '-c:a', 'pcm_f32le'];
  const monoFile = await encoded(path, 'uneven-mono-float.wav', mixed);
  expect(Math.abs(mono.integrated - (await meterOf(monoFile)).integrated)).toBeLessThan(0.03);
  expect(mono.integrated).not.toBeCloseTo(stereo.integrated, 1);
  const telephone = await measureSource(path, 2, { sampleRate: 8000 });
  const telephoneFile = await encoded(path, 'uneven-8k.wav', ['-ar', '8000']);
  expect(Math.abs(telephone.integrated - (await meterOf(telephoneFile)).integrated)).toBeLessThan(0.05);
});

/** Highest value of the band-limited curve through samples with silence around them, in dBFS. */
function truePeakOf(samples: Float32Array): number {
  let peak = 0;
  for (let at = -8; at < samples.length + 8; at += 1 / 32) {
    let value = 0;
    for (const [place, sample] of samples.entries()) {
      const x = Math.PI * (at - place);
      value += x === 0 ? sample : (sample * Math.sin(x)) / x;
    }
    peak = Math.max(peak, Math.abs(value));
  }
  return 20 * Math.log10(peak);
}

const noiseRates = [8000, 44_100, 96_000];

test.each(noiseRates.flatMap((sampleRate) => [true, false].map((withSoxr) => ({ sampleRate, withSoxr }))))(
  'peaks between the samples of noise are found: %o',
  async ({ sampleRate, withSoxr }) => {
    await inFolder(async (folder) => {
      const random = randomNumbers(3);
      // Twice as high as integers reach.
      const noise = Float32Array.from({ length: 300 }, () => 4 * random() - 2);
      const samples = new Float32Array(2 * sampleRate);
      samples.set(noise, sampleRate);
      const path = join(folder, 'noise.wav');
      const shape = { tag: 3, channels: 1, sampleRate, bitsPerSample: 32 };
      await writeFile(path, wavFile(shape, Buffer.from(samples.buffer)));
      const { truePeak } = await measureRun({
        ...{ input: path, inputOptions: decodeGuards, options: meterOptions([], { sampleRate, withSoxr }) },
        ...{ limits, signal: jobIn(folder).signal, onProgress: () => {} },
      });
      expect(Math.abs(truePeak - truePeakOf(noise))).toBeLessThan(0.1);
    });
  },
);

test('a peak in the last sample is found', async () => {
  await inFolder(async (folder) => {
    const samples = new Float32Array(44_100);
    samples[44_099] = 0.5;
    const path = join(folder, 'click.wav');
    const shape = { tag: 3, channels: 1, sampleRate: 44_100, bitsPerSample: 32 };
    await writeFile(path, wavFile(shape, Buffer.from(samples.buffer)));
    const file = { path, container: 'wav' as const, sampleRate: 44_100, seconds: 1 };
    const [measured] = await measureFiles([file], { ...limits, encodeParallelism: 1 }, jobIn(folder));
    expect(measured?.truePeak).toBeCloseTo(20 * Math.log10(0.5), 1);
  });
});
