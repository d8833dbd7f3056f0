import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { randomNumbers } from '../../../../support/random.ts';
import { encoded, makeInput, music, speech } from '../inputs.ts';
import { inFolder, jobIn, segmentedRun, prepare, singleRun } from '../support.ts';

/** A source and an output whose segmented file must equal the single run's byte by byte. */
export interface Row {
  input: string;
  format: string;
  channels?: number;
  sampleRate?: number;
  segments: number;
}

const seconds = 50.123;

/** Consecutive lavfi sources of `seconds` each. */
const lavfi = async (name: string, graph: string) =>
  await makeInput(`${name}.wav`, ['-f', 'lavfi', '-i', `${graph},atrim=end=${seconds}`, '-c:a', 'pcm_s16le']);

export const inputs: Record<string, () => Promise<string>> = {
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
  // Five seconds of sound, five of silence.
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

/** Chooses the cuts; set the variable to try others. */
const seed = Number(process.env['HOLDFAST_SEED'] ?? 20_261_121);

export async function expectSameBytes(row: Row): Promise<void> {
  await inFolder(async (folder) => {
    const input = await inputs[row.input]?.();
    if (input === undefined) throw new Error(`no input ${row.input}`);
    const { source, plan } = await prepare(input, row);
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const random = randomNumbers(seed);
    const { file, cuts } = await segmentedRun(source, plan, row.segments, random, jobIn(folder), segmented);
    await singleRun(input, plan, single);
    const isSame = (await readFile(segmented)).equals(await readFile(single));
    expect(isSame, `HOLDFAST_SEED=${seed}, cuts at frames ${cuts.join(', ')}`).toBe(true);
    expect(file?.seams).toEqual({ exact: row.segments - 1, matched: 0 });
  });
}
