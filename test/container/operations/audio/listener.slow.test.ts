import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { musicOgg } from '../../../support/media.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { rawSamplesOf, words } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';

// A file at a target loudness is its source times one gain, to -60 dB, except where a peak was limited.

const service = await useEncodes();
const { encode, file, make, outputFile } = service;

const rate = 44_100;
/** Look-ahead and release of the limiter in seconds (docs/decisions/measure-loudness-in-the-encoded-file.md). */
const [aheadSeconds, behindSeconds] = [0.006, 0.06];
/** dB below the requested peak at which the limiter may start: meters have a tolerance, and up to three corrections lower it. */
const limiterMargin = 1;
/** -60 dBFS */
const audible = 0.001;

const loop = (source: string): string[] => [
  ...words('-stream_loop -1 -i'),
  source,
  ...words('-t 30 -ar'),
  String(rate),
  '-ac',
  '2',
];
const as24Bits = ['-c:a', 'pcm_s24le'];
await make('music.wav', ...loop(musicOgg), ...as24Bits);
const speakers = "volume=eval=frame:volume='if(lt(mod(t,8),4),0.8,0.2)'";
await make('speech-two.wav', ...loop(file('speech.wav')), '-af', speakers, ...as24Bits);
// At 44.1 kHz the limiter's resamplers lose 0.3 dB at 19 kHz and 1.8 dB at 20 kHz. Music and speech have almost nothing
// there, but noise that starts abruptly does.
const dull = Array.from({ length: 4 }, () => 'lowpass=f=9000').join(',');
// Quiet sound with two loud bursts in half a minute.
const bursts = 'anoisesrc=c=brown:a=0.9:r=44100:d=30:seed=3';
const film = [
  "[0]volume=0.15[quiet];[1]volume=eval=frame:volume='if(lt(mod(t,13),11),0,exp(-3*(mod(t,13)-11)))'",
  `aformat=channel_layouts=stereo[loud];[quiet][loud]amix=2:normalize=0:duration=shortest,${dull}`,
].join(',');
await make(
  'film.wav',
  ...loop(musicOgg).slice(0, 6),
  ...words('-f lavfi -i'),
  bursts,
  '-filter_complex',
  film,
  '-ar',
  String(rate),
  '-ac',
  '2',
  ...as24Bits,
);

/** Marks the samples near a peak (also between samples) that the gain lifts above the ceiling. */
async function limitedPlaces(source: string, gain: number, ceiling: number): Promise<Uint8Array> {
  const louder = ['-af', `aresample=${rate * 4},volume=${gain}dB:precision=double`];
  const upsampled = await rawSamplesOf(file(source), 'f32le', ...louder);
  const limit = 10 ** (ceiling / 20);
  const places = new Uint8Array(Math.ceil(upsampled.length / 8) + 1);
  for (const [index, sample] of upsampled.entries()) {
    if (Math.abs(sample) <= limit) continue;
    const at = Math.floor(index / 8);
    const from = Math.max(0, at - Math.round(aheadSeconds * rate));
    places.fill(1, from, at + Math.round(behindSeconds * rate));
  }
  return places;
}

interface Expected {
  samples: Float32Array;
  limited: Uint8Array;
}

async function expectedOf(source: string, gain: number, ceiling: number, output: DescribedOutput): Promise<Expected> {
  const whole = await rawSamplesOf(file(source), 'f32le');
  const places = await limitedPlaces(source, gain, ceiling);
  const from = Math.round((output.trim?.start ?? 0) * rate);
  const to = Math.min(whole.length / 2, Math.round((output.trim?.end ?? Infinity) * rate));
  const [fadeIn, fadeOut] = [(output.fade?.in ?? 0) * rate, (output.fade?.out ?? 0) * rate];
  const samples = whole.slice(from * 2, to * 2).map((sample, index) => {
    const at = Math.floor(index / 2);
    const fade = Math.min(1, fadeIn === 0 ? 1 : at / fadeIn, fadeOut === 0 ? 1 : (to - from - at) / fadeOut);
    return sample * fade;
  });
  return { samples, limited: places.slice(from, to) };
}

const wav = { container: 'wav', audio: { sampleFormat: 'float' } } as const;
const flac = { container: 'flac', audio: { bitDepth: 24 } } as const;
const cut = { trim: { start: 3.21, end: 27.7 }, fade: { in: 2.5, out: 4 } };

test.each<[title: string, source: string, output: DescribedOutput, mayBeLimited: number]>(
  rowsExcept(
    ['music as floating point', 'a part of speech', 'a part of a film'],
    [
      ['music as floating point', 'music.wav', { ...wav, loudness: { integrated: -20, truePeak: -1 } }, 0],
      ['music', 'music.wav', { ...flac, loudness: 'streaming' }, 0.5],
      ['speech', 'speech-two.wav', { ...wav, loudness: 'podcast' }, 0.5],
      ['a part of speech', 'speech-two.wav', { ...flac, loudness: 'ebu-r128', ...cut }, 0.1],
      ['a film', 'film.wav', { ...wav, loudness: 'ebu-r128' }, 0.3],
      ['a part of a film', 'film.wav', { ...flac, loudness: { integrated: -18, truePeak: -3 }, ...cut }, 0.5],
    ],
  ),
)('makes %s its source times one gain, except around peaks above the ceiling', async (_, source, output, most) => {
  const answer = await encode(source, [output]);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { gain, note } = answer.body.outputs[0].loudness;
  expect(note).toBeUndefined();
  // All named targets used here have -1 dBTP.
  const { truePeak } = typeof output.loudness === 'object' ? output.loudness : { truePeak: -1 };
  const ceiling = truePeak - limiterMargin;
  const { samples, limited } = await expectedOf(source, gain, ceiling, output);
  const made = await rawSamplesOf(outputFile(source), 'f32le');
  expect(made.length).toBe(samples.length);
  // The answer rounds the gain to 0.01 dB, which alone would exceed -60 dB.
  let [product, square] = [0, 0];
  for (const [index, sample] of made.entries()) {
    if (limited[Math.floor(index / 2)] === 1) continue;
    product += sample * (samples[index] ?? 0);
    square += (samples[index] ?? 0) ** 2;
  }
  const factor = product / square;
  expect(Math.abs(20 * Math.log10(factor) - gain)).toBeLessThan(0.006);
  let [loudest, at] = [0, -1];
  for (const [index, sample] of made.entries()) {
    const difference = Math.abs(sample - factor * (samples[index] ?? 0));
    if (difference > loudest && limited[Math.floor(index / 2)] !== 1) [loudest, at] = [difference, index];
  }
  expect(loudest, `at ${(at / 2 / rate).toFixed(4)} s`).toBeLessThan(audible);
  const share = limited.reduce((sum, place) => sum + place, 0) / limited.length;
  expect(share).toBeLessThanOrEqual(most);
  // The file must contain sound that is not limited.
  expect(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length).toBeGreaterThan(1e-5);
});
