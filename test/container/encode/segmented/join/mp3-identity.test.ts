import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encoded, makeInput, music, speech } from '../inputs.ts';
import { inFolder, jobIn, segmentedRun, prepare, seeded, singleRun } from '../support.ts';

/**
 * The segmented file equals that of the single run by every byte. The rows that run always are one for each kind of
 * input, rate and mode; HOLDFAST_FULL_MATRIX=1 adds all the others.
 */
interface Row {
  input: string;
  format: string;
  channels?: number;
  sampleRate?: number;
  segments: number;
}

const seconds = 50.123;

/** Sound of many kinds one after the other: lavfi sources of `seconds` each. */
const lavfi = async (name: string, graph: string) =>
  await makeInput(`${name}.wav`, ['-f', 'lavfi', '-i', `${graph},atrim=end=${seconds}`, '-c:a', 'pcm_s16le']);

const inputs: Record<string, () => Promise<string>> = {
  music: () => music({ seconds }),
  'music 48k': () => music({ seconds, sampleRate: 48_000 }),
  'music 32k': () => music({ seconds, sampleRate: 32_000 }),
  speech: () => speech({ seconds }),
  'speech 16k': () => speech({ seconds, sampleRate: 16_000 }),
  'speech 22k': () => speech({ seconds, sampleRate: 22_050 }),
  FLAC: async () => await encoded(await music({ seconds }), 'music.flac'),
  'VBR mp3': async () => await encoded(await music({ seconds }), 'music-vbr.mp3', ['-q:a', '3']),
  'CBR mp3': async () => await encoded(await music({ seconds }), 'music-cbr.mp3', ['-b:a', '128k']),
  'CBR mp3 22k': async () => await encoded(await speech({ seconds, sampleRate: 22_050 }), 'speech-22k.mp3'),
  Vorbis: async () =>
    await encoded(await music({ seconds }), 'tagged.ogg', ['-c:a', 'libvorbis', '-metadata', 'title=Tagged']),
  m4a: async () => await encoded(await music({ seconds }), 'music.m4a', ['-metadata', 'title=Tagged']),
  // Five seconds of sound, five of nothing.
  'digital silence': async () =>
    await makeInput('gated.wav', ['-i', await music({ seconds }), '-af', "volume='lt(mod(t,10),5)':eval=frame"]),
  clipping: async () => await makeInput('clipping.wav', ['-i', await music({ seconds }), '-af', 'volume=30dB']),
  'music then speech': async () =>
    await makeInput('joined.wav', [
      ...['-i', await music({ seconds }), '-i', await speech({ seconds, channels: 2 })],
      ...['-filter_complex', '[0]atrim=end=23.3[a];[1]atrim=end=27[b];[a][b]concat=v=0:a=1'],
    ]),
  noise: () => lavfi('noise', 'anoisesrc=r=44100:seed=1:a=0.3'),
  sine: () => lavfi('sine', 'sine=f=997:r=44100'),
};

const always: Row[] = [
  { input: 'music', format: 'mp3_128', segments: 4 },
  { input: 'music', format: 'mp3_320', segments: 3 },
  { input: 'speech', format: 'mp3_64', segments: 4 },
  { input: 'speech 22k', format: 'mp3_32', segments: 3 },
  { input: 'VBR mp3', format: 'mp3_128', segments: 3 },
  { input: 'Vorbis', format: 'mp3_128', segments: 2 },
  { input: 'FLAC', format: 'mp3_192', sampleRate: 48_000, segments: 2 },
  { input: 'm4a', format: 'mp3_96', channels: 1, segments: 3 },
  { input: 'digital silence', format: 'mp3_128', segments: 4 },
  { input: 'clipping', format: 'mp3_160', segments: 3 },
  { input: 'music then speech', format: 'mp3_112', segments: 3 },
];

const full: Row[] = [
  ...Object.keys(inputs).flatMap((input): Row[] => [
    { input, format: 'mp3_128', sampleRate: 44_100, segments: 2 },
    { input, format: 'mp3_128', sampleRate: 48_000, segments: 5 },
    { input, format: 'mp3_64', sampleRate: 44_100, channels: 1, segments: 8 },
    { input, format: 'mp3_64', sampleRate: 22_050, channels: 2, segments: 4 },
    { input, format: 'mp3_32', sampleRate: 16_000, channels: 1, segments: 3 },
  ]),
  ...[32, 40, 48, 56, 80, 96, 112, 160, 192, 224, 256, 320].map((bitrate): Row => ({
    input: 'music',
    format: `mp3_${bitrate}`,
    sampleRate: 44_100,
    segments: 4,
  })),
  // 8 kbit/s of speech at more than 8 kHz have no seam; the plan knows.
  ...[16, 24, 40, 56, 96, 128, 160].map((bitrate): Row => ({
    input: 'speech 16k',
    format: `mp3_${bitrate}`,
    sampleRate: 24_000,
    segments: 3,
  })),
  ...[8000, 11_025, 12_000, 32_000].map((sampleRate): Row => ({
    input: 'music',
    format: 'mp3_48',
    sampleRate,
    channels: 1,
    segments: 3,
  })),
];

const seed = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000);
const rows = process.env['HOLDFAST_FULL_MATRIX'] === '1' ? [...always, ...full] : always;

test.each(rows)('$input, $format, $channels ch, $sampleRate Hz, $segments segments: the same bytes', async (row) => {
  const random = seeded(seed + rows.indexOf(row));
  await inFolder(async (folder) => {
    const input = await inputs[row.input]?.();
    if (input === undefined) throw new Error(`no input ${row.input}`);
    const { source, plan } = await prepare(input, row);
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const { file, cuts } = await segmentedRun(source, plan, row.segments, random, jobIn(folder), segmented);
    await singleRun(input, plan, single);
    const isSame = (await readFile(segmented)).equals(await readFile(single));
    expect(isSame, `HOLDFAST_SEED=${seed}, cuts at frames ${cuts.join(', ')}`).toBe(true);
    expect(file?.seams).toEqual({ exact: row.segments - 1, matched: 0 });
  });
});
