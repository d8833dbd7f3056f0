import { beforeAll, describe, expect, test } from 'vitest';
import type { Track } from '../../../../contract/http/audio.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264 } from '../../../support/films.ts';
import { rawSamplesOf, words } from '../../../support/media-files.ts';

const service = await useEncodes();
const { encode, encoded, file, fromMusic, make, outputFile } = service;

const tones = [300, 500, 700];

/** Frequency of a mono tone in Hz, counted by its zero crossings. */
async function toneOf(path: string): Promise<number> {
  const samples = await rawSamplesOf(path, 's16le', '-ac', '1');
  let crossings = 0;
  for (const [index, sample] of samples.entries()) if (sample >= 0 && (samples[index - 1] ?? 0) < 0) crossings += 1;
  return Math.round(crossings / (samples.length / 44_100) / 10) * 10;
}

describe('track of an output', () => {
  beforeAll(async () => {
    const inputs = tones.flatMap((tone) => ['-f', 'lavfi', '-i', `sine=${tone}:r=44100:d=1`]);
    await make(
      'tracks.mka',
      ...[...inputs, '-map', '0', '-map', '1', '-map', '2', '-c:a', 'flac'],
      ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=ger', '-metadata:s:a:1', 'title=zwei'],
      ...['-disposition:a:0', '0', '-disposition:a:2', 'default'],
    );
  });

  test('takes the first track, or the track chosen by index, language or default flag', async () => {
    const wanted: [Track | undefined, number][] = [
      [undefined, 300],
      [0, 300],
      [2, 700],
      ['default', 700],
      ['eng', 300],
      ['de', 500],
      ['deu', 500],
      ['GER', 500],
    ];
    const outputs = wanted.map(([track]): DescribedOutput => ({
      format: 'wav',
      ...(track !== undefined && { track }),
    }));
    const answer = await encode('tracks.mka', outputs);
    expect(answer).toMatchObject({ status: 200, body: { source: { duration: 1, complete: true } } });
    // The file states the rate of all tracks only.
    expect(answer.body.source.bitrate).toBe(0);
    const heard = await Promise.all(outputs.map(async (_, index) => await toneOf(outputFile('tracks.mka', index))));
    expect(heard).toEqual(wanted.map(([, tone]) => tone));
  });

  test('rejects a missing track and lists the existing ones', async () => {
    const refused: [Track, RegExp][] = [
      [3, /has no audio track 3; it has 0 \(eng\), 1 \(ger\), 2\b/],
      ['fra', /has no audio track fra; it has 0 \(eng\), 1 \(ger\), 2\b/],
    ];
    for (const [track, sentence] of refused) {
      const answer = await encode('tracks.mka', [{ format: 'mp3_128', track }]);
      expect(answer).toMatchObject({ status: 422, body: { code: 'unsupported_format', details: { track } } });
      expect(answer.body.error).toMatch(sentence);
    }
    const answer = await encode('music.wav', [{ format: 'mp3_128', track: 7 }]);
    expect(answer.body.error).toMatch(/has no audio track 7; its only one is 0\.$/);
  });

  test('trims and fades the chosen track to the sample', async () => {
    const output: DescribedOutput = { format: 'wav', track: 1, trim: { start: 0.25, end: 0.75 }, fade: { out: 0.1 } };
    await encoded('tracks.mka', [output, { format: 'wav' }]);
    const made = await rawSamplesOf(outputFile('tracks.mka'), 's16le');
    const cut = 'atrim=start_sample=11025:end_sample=33075,asetpts=N/SR/TB,afade=t=out:st=0.4:d=0.1';
    const expected = await rawSamplesOf(file('tracks.mka'), 's16le', '-map', '0:a:1', '-af', cut);
    expect(made.length).toBe(22_050);
    expect(made.findIndex((sample, index) => Math.abs(sample - (expected[index] ?? 0)) > 1)).toBe(-1);
    expect(Math.max(...made)).toBeGreaterThan(3000);
  });
});

test('states the language of the chosen track in an MP4, MOV and m4a, with encoded and with copied streams', async () => {
  const sounds = tones.slice(0, 2).flatMap((tone) => ['-f', 'lavfi', '-i', `sine=${tone}:r=44100:d=1`]);
  await make(
    'spoken.mkv',
    ...[...motion(1), ...sounds, '-map', '0', '-map', '1', '-map', '2', ...quickH264, '-c:a', 'aac'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
  );
  const [video, copy] = [{ codec: 'h264', speed: 'fast' } as const, true];
  const cases: [string, DescribedOutput][] = [
    ['deu', { container: 'mp4', video }],
    ['deu', { container: 'mp4', video: { ...video, copy }, audio: { codec: 'aac', copy } }],
    // QuickTime's list has German as `ger`.
    ['ger', { container: 'mov', video: { ...video, copy }, audio: { codec: 'pcm' } }],
    ['deu', { container: 'm4a', audio: { codec: 'alac' } }],
    ['zul', { container: 'm4b', audio: { codec: 'aac', bitrate: 64 }, metadata: { language: 'zul' } }],
  ];
  await encoded(
    'spoken.mkv',
    cases.map(([, output]) => ({ ...output, track: 'deu' })),
  );
  for (const [index, [language, output]] of cases.entries()) {
    const { streams } = await probeAll(outputFile('spoken.mkv', index));
    const sound = streams.find(({ codec_type }) => codec_type === 'audio');
    expect({ output, language: sound?.tags?.['language'] }).toEqual({ output, language });
  }
});

test('measures the loudness of what a trim leaves of a track', async () => {
  const quietLater = 'volume=if(lt(t\\,0.9)\\,0.9\\,0.3):eval=frame';
  const tones = [...words('-f lavfi -i sine=300:r=44100:d=3 -f lavfi -i'), `sine=500:r=44100:d=3,${quietLater}`];
  await make('levels.mka', ...tones, '-map', '0', '-map', '1', '-c:a', 'flac');
  const loudness = { integrated: -20, truePeak: -3 };
  const answer = await encode('levels.mka', [{ format: 'wav', track: 1, trim: { start: 1 }, loudness }]);
  expect(answer).toMatchObject({ status: 200, body: { outputs: [{ duration: 2 }] } });
  const { integrated, source } = answer.body.outputs[0].loudness;
  expect(Math.abs(integrated + 20)).toBeLessThanOrEqual(0.1);
  // ffmpeg's sine peaks at an eighth of full scale (-18 dBFS), here 10.5 dB lower; its RMS is 3 dB below its peak.
  expect(source.truePeak).toBeCloseTo(-28.5, 0);
  const heard = await rawSamplesOf(outputFile('levels.mka'), 's16le');
  expect(Math.max(...heard) / 32_768).toBeCloseTo(10 ** ((source.truePeak - source.integrated - 20) / 20), 2);
});

describe('downmix', () => {
  const [half, all] = [Math.SQRT1_2, 1];
  const stereo51 = 1 + 2 * half;
  const stereo71 = 1 + 3 * half;

  /** Floating point samples, as mp3 and AAC decode to; ffmpeg's default downmix clips them. */
  async function makeTones(name: string, layout: string, speakers: number): Promise<void> {
    const waves = Array.from({ length: speakers }, (_, index) => `sin(2*PI*${(index + 1) * 100}*t)`);
    const filter = `aevalsrc=${waves.join('|')}:c=${layout}:s=48000:d=0.5`;
    await make(name, '-f', 'lavfi', '-i', filter, '-c:a', 'pcm_f32le');
  }

  test.each([
    // FL FR FC LFE BL BR
    ['5.1', 6, [all, 0, half, 0, half, 0], [0, all, half, 0, 0, half], stereo51],
    // FL FR FC LFE BL BR SL SR
    ['7.1', 8, [all, 0, half, 0, half, 0, half, 0], [0, all, half, 0, 0, half, 0, half], stereo71],
  ] as const)(
    'mixes %s down by the ITU coefficients, divided by their sum',
    async (layout, speakers, left, right, sum) => {
      const source = `${layout}.wav`;
      await makeTones(source, layout, speakers);
      const output: DescribedOutput = { container: 'wav', audio: { sampleFormat: 'float', channels: 2 } };
      await encoded(source, [output]);
      const before = await rawSamplesOf(file(source), 'f32le');
      const made = await rawSamplesOf(outputFile(source), 'f32le');
      expect(made.length).toBe((before.length / speakers) * 2);
      let most = 0;
      for (const [place, sample] of made.entries()) {
        const at = Math.floor(place / 2) * speakers;
        const weights = place % 2 === 0 ? left : right;
        const mixed = weights.reduce<number>((total, weight, index) => total + weight * (before[at + index] ?? 0), 0);
        most = Math.max(most, Math.abs(sample - mixed / sum));
      }
      expect(most).toBeLessThan(1e-6);
    },
  );

  test.each([
    ['5.1', 6, 'm4a', ['-c:a', 'aac', '-b:a', '384k'], 1],
    ['stereo', 2, 'mp3', ['-b:a', '192k'], 1],
    ['7.1', 8, 'm4a', ['-c:a', 'aac', '-b:a', '512k'], 6],
  ])(
    'does not clip when every channel of %s is at full scale',
    async (layout, speakers, extension, options, channels) => {
      const wave = Array.from({ length: speakers }, () => '0.98*sin(2*PI*440*t)').join('|');
      const source = `loud-${layout}.${extension}`;
      await make(source, '-f', 'lavfi', '-i', `aevalsrc=${wave}:c=${layout}:s=48000:d=0.5`, ...options);
      const output: DescribedOutput = { container: 'wav', audio: { sampleFormat: 'float', channels } };
      await encoded(source, [output]);
      const before = (await rawSamplesOf(file(source), 'f32le')).reduce(
        (most, one) => Math.max(most, Math.abs(one)),
        0,
      );
      const made = (await rawSamplesOf(outputFile(source), 'f32le')).reduce(
        (most, one) => Math.max(most, Math.abs(one)),
        0,
      );
      expect(made).toBeLessThanOrEqual(before + 1e-6);
      expect(made).toBeGreaterThan(before * 0.8);
    },
  );

  test('keeps the level of music that is the same on both sides when it becomes mono', async () => {
    await make('dual.mp3', ...fromMusic(), '-af', 'pan=stereo|c0=c0|c1=c0', '-b:a', '320k', '-joint_stereo', '1');
    const output: DescribedOutput = { container: 'wav', audio: { sampleFormat: 'float', channels: 1 } };
    await encoded('dual.mp3', [output]);
    const before = await rawSamplesOf(file('dual.mp3'), 'f32le');
    const made = await rawSamplesOf(outputFile('dual.mp3'), 'f32le');
    expect(made.findIndex((sample, index) => Math.abs(sample - (before[2 * index] ?? 0)) > 1e-4)).toBe(-1);
  });
});

test('loses a tone below the 16th bit without dither, and keeps it with dither', async () => {
  const tone = 'aevalsrc=0.00001*sin(2*PI*1000*t):s=48000:d=4';
  await make('faint.wav', '-f', 'lavfi', '-i', tone, '-c:a', 'pcm_f32le');
  const dithers = [undefined, 'none', 'triangular', 'triangular_hp'] as const;
  const outputs = dithers.map((dither): DescribedOutput => ({ container: 'wav', audio: { bitDepth: 16, dither } }));
  await encoded('faint.wav', outputs);
  const heard = await Promise.all(
    dithers.map(async (_, index) => {
      const samples = await rawSamplesOf(outputFile('faint.wav', index), 's16le');
      const sum = samples.reduce((total, sample, at) => total + sample * Math.sin((2 * Math.PI * at) / 48), 0);
      return (sum * 2) / samples.length / 32_768 / 0.00001;
    }),
  );
  expect(heard.slice(0, 2)).toEqual([0, 0]);
  for (const share of heard.slice(2)) expect(Math.abs(share - 1)).toBeLessThan(0.15);
});
