import { expect, test } from 'vitest';
import { BandwidthMeter } from '../../../../../engine/products/analysis/report/bandwidth.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { addInBlocks } from './report-signals.ts';
import { testFolder } from '../../../../support/folder.ts';

const execute = promisify(execFile);

/** Noise that is loud up to half the sample rate, like cymbals. */
const noise = 'anoisesrc=c=pink:r=44100:d=3:a=0.4:seed=5';

/** ffmpeg's samples of a source, passed through an encoder's file if one is named. */
async function measure(source: string, filter: string, encoded: readonly string[] | undefined, sampleRate = 44_100) {
  const folder = testFolder();
  const [extension = 'wav', ...encoder] = encoded ?? [];
  const path = join(folder, `file.${extension}`);
  const quiet = ['-v', 'error', '-nostdin'];
  await execute('ffmpeg', [...quiet, '-f', 'lavfi', '-i', source, '-af', filter, ...encoder, path]);
  const decode = [...quiet, '-i', path, '-ar', String(sampleRate), '-c:a', 'pcm_s16le', '-f', 's16le', '-'];
  const { stdout } = await execute('ffmpeg', decode, { encoding: 'buffer', maxBuffer: 2 ** 26 });
  const samples = Float32Array.from(new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1));
  const meter = new BandwidthMeter({ channels: 1, sampleRate });
  addInBlocks(
    meter,
    samples.map((value) => value / 32_768),
    1,
  );
  return meter.result();
}

test.each([
  ['mp3, 64 kbit/s of one channel', ['mp3', '-b:a', '64k'], 16_000, 17_300],
  ['mp3, 96 kbit/s of one channel', ['mp3', '-b:a', '96k'], 19_900, 20_500],
  ['AAC, 64 kbit/s of one channel', ['m4a', '-c:a', 'aac', '-b:a', '64k'], 16_000, 18_500],
  ['Opus', ['opus', '-c:a', 'libopus', '-b:a', '64k', '-ar', '48000'], 19_900, 20_500],
])('sound that was once %s is lossy whatever it is now', async (_name, encoded, from, to) => {
  const { probablyLossy, cutoff, frequency } = await measure(noise, 'anull', encoded);
  expect(probablyLossy).toBe(true);
  expect(cutoff).toBeGreaterThan(from);
  expect(cutoff).toBeLessThan(to);
  expect(frequency).toBe(cutoff);
});

test.each([
  ['noise', noise, 'anull', 21_000, 22_050],
  ['a sine', 'sine=f=17000:r=44100:d=3', 'volume=0.5', 16_900, 22_050],
  ['a sweep to 17 kHz', 'aevalsrc=0.5*sin(2*PI*17000*t*t/6):s=44100:d=3', 'anull', 16_000, 22_050],
  ['what was low-passed gently', noise, 'lowpass=f=12000', 10_000, 22_050],
  ['what was resampled from 8 kHz', noise, 'aresample=8000,aresample=44100', 3500, 5000],
  ['what was resampled from 32 kHz', noise, 'aresample=32000,aresample=44100', 14_500, 19_000],
  [
    'what was resampled steeply from 32 kHz',
    noise,
    'aresample=32000:filter_size=256,aresample=44100:filter_size=256',
    14_500,
    16_400,
  ],
  ['a broadcast that ends at 15 kHz', noise, "firequalizer=gain='if(lt(f,15000),0,-120)':accuracy=20", 14_500, 15_800],
])('%s is not lossy', async (_name, source, filter, from, to) => {
  const { probablyLossy, frequency } = await measure(source, filter, undefined);
  expect(probablyLossy).toBe(false);
  expect(frequency).toBeGreaterThan(from);
  expect(frequency).toBeLessThanOrEqual(to);
});

test('silence has no bandwidth', async () => {
  expect(await measure('anullsrc=r=8000:d=1', 'anull', undefined, 8000)).toEqual({
    frequency: 0,
    probablyLossy: false,
  });
});
