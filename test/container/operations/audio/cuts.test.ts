import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pcmDigest, probe, rawSamplesOf } from '../../../support/media-files.ts';

// Trims and fades are compared with a plain decode that is cut and faded by arithmetic.

const service = useEncodes();
const { encode, encoded, expectNothingUploaded, file, fromMusic, make, outputFile } = service;

const rate = 44_100;
const none = new Int16Array();

interface ProbedChapter {
  start_time: string;
  end_time: string;
  tags: { title: string };
}

async function decoded(source: string): Promise<Int16Array> {
  return await rawSamplesOf(file(source), 's16le', '-map', '0:a:0');
}

/** Compares hundreds of thousands of numbers much faster than `toEqual`. */
function expectSame(made: Int16Array, expected: Int16Array): void {
  expect(made.length).toBe(expected.length);
  expect(made.findIndex((sample, index) => sample !== expected[index])).toBe(-1);
}

function between(samples: Int16Array, startSeconds: number, endSeconds: number): Int16Array {
  return samples.slice(Math.round(startSeconds * rate) * 2, Math.round(endSeconds * rate) * 2);
}

describe('trims', () => {
  test.each([
    ['music.wav', []],
    ['music.mp3', ['-b:a', '128k']],
    ['music.m4a', ['-c:a', 'aac', '-b:a', '96k']],
    ['music.flac', []],
  ])('trims %s to exactly the samples between start and end, in WAV and in FLAC', async (source, options) => {
    if (source !== 'music.wav') await make(source, ...fromMusic(), ...options);
    const trim = { start: 1.2345, end: 3.21 };
    const outputs: DescribedOutput[] = [
      { format: 'wav', trim },
      { container: 'flac', audio: { bitDepth: 16 }, trim },
      { format: 'wav', trim: { start: 4 } },
      { format: 'wav', trim: { end: 0.5 } },
      { format: 'wav' },
    ];
    const result = await encoded(source, outputs);
    const whole = await decoded(source);
    const made = await Promise.all(outputs.map((_, index) => rawSamplesOf(outputFile(source, index), 's16le')));
    const seconds = whole.length / 2 / rate;
    expectSame(made[0] ?? none, between(whole, 1.2345, 3.21));
    expectSame(made[1] ?? none, between(whole, 1.2345, 3.21));
    expectSame(made[2] ?? none, between(whole, 4, seconds));
    expectSame(made[3] ?? none, between(whole, 0, 0.5));
    expectSame(made[4] ?? none, whole);
    expect(result.outputs.map(({ duration }) => duration)).toEqual(
      [1.976, 1.976, seconds - 4, 0.5, seconds].map(round),
    );
    // A trim does not change the reported length of the source.
    expect(result.source.duration).toBe(round(seconds));
  });

  test.each(['mp3_128', 'aac_96', 'opus_64', 'vorbis_96'])(
    'encodes a trim to %s as plain ffmpeg encodes a file with only these samples',
    async (format) => {
      const part = await make('part.wav', ...fromMusic(), '-af', 'atrim=start_sample=44100:end_sample=132300');
      await encoded('music.wav', [{ format, trim: { start: 1, end: 3 } }]);
      const byTrim = await pcmDigest(outputFile('music.wav'), 's16le');
      await encoded('part.wav', [{ format }]);
      expect(byTrim).toBe(await pcmDigest(outputFile('part.wav'), 's16le'));
      expect((await rawSamplesOf(part, 's16le')).length).toBe(88_200 * 2);
    },
  );

  test('counts a trim from the beginning of the file, even if the audio starts late', async () => {
    const video = ['-f', 'lavfi', '-i', 'color=red:s=16x16:r=10:d=6'];
    await make('late.mkv', ...video, '-itsoffset', '1', ...fromMusic(), '-c:a', 'pcm_s16le', '-c:v', 'mpeg4');
    await encoded('late.mkv', [{ format: 'wav', trim: { start: 0.5, end: 2 } }]);
    const made = await rawSamplesOf(outputFile('late.mkv'), 's16le');
    const silence = new Int16Array(0.5 * rate * 2);
    const music = between(await decoded('music.wav'), 0, 1);
    expectSame(made, Int16Array.from([...silence, ...music]));
  });

  test('moves the chapters of the source and of the request with the trim', async () => {
    const metadata = [';FFMETADATA1'];
    for (const [start, end, title] of [
      [0, 1000, 'one'],
      [1000, 3000, 'two'],
      [3000, 4500, 'three'],
      [4500, 5000, 'four'],
    ]) {
      metadata.push('[CHAPTER]', 'TIMEBASE=1/1000', `START=${start}`, `END=${end}`, `title=${title}`);
    }
    await writeFile(file('chapters.txt'), metadata.join('\n'));
    await make('book.mka', ...fromMusic(), '-i', file('chapters.txt'), '-map_metadata', '1', '-c:a', 'flac');
    const trim = { start: 1.5, end: 4.5 };
    const chapters = [
      { start: 2, title: 'mine' },
      { start: 4.75, title: 'cut off' },
    ];
    const answer = await encode('book.mka', [
      { format: 'mp3_128', trim },
      { format: 'mp3_128', trim, chapters },
    ]);
    expect(answer).toMatchObject({ status: 200, body: { outputs: [{ chapters: 2 }, { chapters: 1 }] } });
    const found = await Promise.all(
      [0, 1].map(async (index) => {
        const read = (await probe(outputFile('book.mka', index), '-show_chapters')) as { chapters: ProbedChapter[] };
        return read.chapters.map(({ start_time, end_time, tags }) => [
          Number(start_time),
          Number(end_time),
          tags.title,
        ]);
      }),
    );
    expect(found).toEqual([
      [
        [0, 1.5, 'two'],
        [1.5, 3, 'three'],
      ],
      [[0.5, 3, 'mine']],
    ]);
    const beyond = await encode('book.mka', [{ format: 'mp3_128', trim, chapters: [{ start: 6, title: 'beyond' }] }]);
    expect(beyond).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(beyond.body.error).toMatch(/"beyond" begins at 6 s, and the source is 5\.000 s long/);
  });

  test('ends a trim at the end of the source', async () => {
    const answer = await encode('second.wav', [{ format: 'wav', trim: { start: 0.25, end: 3600 } }]);
    expect(answer).toMatchObject({ status: 200, body: { outputs: [{ duration: 0.75 }], source: { duration: 1 } } });
  });

  test('rejects a trim that leaves nothing, and uploads nothing', async () => {
    await make('short.wav', ...fromMusic(), '-t', '2');
    const answer = await encode('short.wav', [{ format: 'wav' }, { format: 'mp3_128', trim: { start: 2 } }]);
    expect(answer).toMatchObject({ status: 422, body: { code: 'unsupported_format', details: { format: 'mp3_128' } } });
    expect(answer.body.error).toMatch(
      /mp3_128 cannot be made: nothing is left of the source's 2\.000 s .* from 2 s\.$/,
    );
    const tiny = await encode('short.wav', [{ format: 'mp3_128', trim: { end: 0.000_01 } }]);
    expect(tiny.body.error).toMatch(/nothing is left .* after its trim from 0 s to 0\.00001 s/);
    await expectNothingUploaded('short.wav');
  });

  test('detects a truncated source whose trim ends before the truncation', async () => {
    const whole = await readFile(await make('whole.flac', ...fromMusic(), '-af', 'aloop=10:200000'));
    await writeFile(file('half.flac'), whole.subarray(0, whole.length / 2));
    const answer = await encode('half.flac', [{ format: 'wav', trim: { end: 1 } }]);
    expect(answer).toMatchObject({ status: 422, body: { code: 'source_truncated' } });
    await expectNothingUploaded('half.flac');
  });

  test('rejects a trim or a speech level for a source that changes its sample rate', async () => {
    const one = await make('44100.mp3', ...fromMusic(), '-t', '1', '-write_xing', '0');
    const other = await make('22050.mp3', ...fromMusic(), '-t', '1', '-ar', '22050', '-write_xing', '0');
    await writeFile(file('rates.mp3'), Buffer.concat([await readFile(one), await readFile(other)]));
    // When the rate changes, ffmpeg drops the seconds that the speech level filter holds.
    for (const options of [{ trim: { start: 0.5 } }, { level: 'speech' }] as const) {
      const answer = await encode('rates.mp3', [{ format: 'wav', ...options }]);
      expect(answer).toMatchObject({ status: 422, body: { code: 'unsupported_format' } });
      expect(answer.body.error).toMatch(/changes its sample rate or its channels in the middle/);
    }
  });
});

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

describe('fades', () => {
  test('fades in a straight line to the sample, and leaves everything between the fades unchanged', async () => {
    const fade = { in: 0.5, out: 0.25 };
    const trim = { start: 1, end: 3 };
    await encoded('music.wav', [{ format: 'wav', trim, fade }]);
    const before = between(await decoded('music.wav'), 1, 3);
    const made = await rawSamplesOf(outputFile('music.wav'), 's16le');
    expect(made.length).toBe(before.length);
    const [fadeIn, fadeOut, length] = [22_050, 11_025, 88_200];
    const [loudFrom, loudTo] = [fadeIn * 2, (length - fadeOut) * 2];
    expectSame(made.slice(loudFrom, loudTo), before.slice(loudFrom, loudTo));
    let most = 0;
    for (const [index, sample] of made.entries()) {
      const moment = Math.floor(index / 2);
      const gain = Math.min(1, moment / fadeIn, (length - moment) / fadeOut);
      most = Math.max(most, Math.abs(sample - (before[index] ?? 0) * gain));
    }
    // The tolerance covers rounding and one step of the line.
    expect(most).toBeLessThanOrEqual(3);
    expect(made[0]).toBe(0);
  });

  test('fades an mp3 exactly as a WAV of its samples', async () => {
    await make('faded.mp3', ...fromMusic(), '-b:a', '128k');
    await make('faded.wav', '-i', file('faded.mp3'), '-c:a', 'pcm_f32le');
    const output: DescribedOutput = { container: 'wav', audio: { sampleFormat: 'float' }, fade: { in: 1, out: 2 } };
    const made: Float32Array[] = [];
    for (const source of ['faded.mp3', 'faded.wav']) {
      await encoded(source, [output]);
      made.push(await rawSamplesOf(outputFile(source), 'f32le'));
    }
    const [ofMp3 = new Float32Array(), ofWav = new Float32Array()] = made;
    expect(ofMp3.length).toBe(ofWav.length);
    const most = ofMp3.reduce((worst, sample, index) => Math.max(worst, Math.abs(sample - (ofWav[index] ?? 0))), 0);
    expect(most).toBeLessThan(1e-6);
    expect(Math.max(...ofWav.slice(0, 20))).toBeLessThan(1e-3);
  });

  test('rejects fades that are longer than the output', async () => {
    const answer = await encode('second.wav', [{ format: 'opus_64', fade: { in: 0.6, out: 0.6 } }]);
    expect(answer).toMatchObject({ status: 422, body: { code: 'unsupported_format' } });
    expect(answer.body.error).toMatch(/its fades are longer than the 1\.000 s that it has/);
  });
});

test.each([
  [{ trim: { start: 2, end: 1 } }, ['outputs', 0, 'trim', 'end']],
  [{ trim: { start: -1 } }, ['outputs', 0, 'trim', 'start']],
  [{ trim: { from: 1 } }, ['outputs', 0, 'trim']],
  [{ trim: [1, 2] }, ['outputs', 0, 'trim']],
  [{ fade: { in: '1' } }, ['outputs', 0, 'fade', 'in']],
  [{ fade: { out: 1e9 } }, ['outputs', 0, 'fade', 'out']],
  [{ track: -1 }, ['outputs', 0, 'track']],
  [{ track: 'english!' }, ['outputs', 0, 'track']],
])('rejects %j as invalid_request', async (fields, issuePath) => {
  const answer = await encode('second.wav', [{ format: 'wav', ...(fields as object) }]);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(answer.body.details.issues.map(({ path }: { path: unknown }) => path)).toContainEqual(issuePath);
});
