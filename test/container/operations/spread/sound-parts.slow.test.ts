import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { music } from '../../../engine/sound/segmented/inputs.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { rawSamplesOf, sha256Of } from '../../../support/media-files.ts';
import { spreadBy } from '../../../support/parts.ts';

/** These tests take half a minute, and some minutes on a slow machine. */
const patient = { timeout: 400_000 };

const service = await useEncodes({ ENCODE_PARALLELISM: '2' });
const { container, encode, encoded, make, outputFile } = service;

test('joins mp3 segments that two encoders have made each to the file of one ffmpeg', patient, async () => {
  await make('long.m4a', '-i', await music({ seconds: 200 }), '-c:a', 'aac', '-b:a', '128k');
  const outputs: DescribedOutput[] = [{ format: 'mp3_128' }];
  const { segments, result } = await spreadBy(service, 'long.m4a', outputs, 20);
  expect(segments).toHaveLength(2);
  expect(result.outputs).toMatchObject([{ segments: 4, seams: { exact: 3, matched: 0 } }]);
  const joined = await readFile(outputFile('long.m4a'));
  const single = await encoded('long.m4a', outputs, { parallel: false });
  expect(joined.equals(await readFile(outputFile('long.m4a')))).toBe(true);
  expect(result.source).toEqual(single.source);
});

/** Energy of the difference of two stereo recordings in a second of them, as a share of the energy of one. */
function differenceAt(one: Int16Array, other: Int16Array, second: number, rate: number): number {
  let [difference, energy] = [0, 0];
  for (let at = 2 * second * rate; at < 2 * (second + 1) * rate; at += 1) {
    const value = other[at] ?? 0;
    difference += ((one[at] ?? 0) - value) ** 2;
    energy += value ** 2;
  }
  return difference / energy;
}

test('joins AAC and Opus segments that two encoders have made each, without a shift at any seam', patient, async () => {
  await make('music.mp3', '-i', await music({ seconds: 100 }), '-b:a', '128k', '-ar', '48000');
  const outputs: DescribedOutput[] = [{ format: 'aac_96' }, { format: 'opus_64' }];
  const { segments, result } = await spreadBy(service, 'music.mp3', outputs, 10);
  expect(segments).toHaveLength(2);
  for (const output of result.outputs) {
    expect(output.segments).toBe(2);
    expect((output.seams?.exact ?? 0) + (output.seams?.matched ?? 0)).toBe(1);
  }
  const samplesOf = async (index: number): Promise<Int16Array> =>
    await rawSamplesOf(outputFile('music.mp3', index), 's16le');
  const joined = await Promise.all([samplesOf(0), samplesOf(1)]);
  await encoded('music.mp3', outputs, { parallel: false });
  for (const [index, samples] of joined.entries()) {
    const plain = await samplesOf(index);
    expect(samples.length).toBe(plain.length);
    // A lost, doubled or moved frame would make the difference larger than the sound.
    for (let second = 0; second < 98; second += 1) {
      expect(differenceAt(samples, plain, second, 48_000), `output ${index} at ${second} s`).toBeLessThan(0.5);
    }
  }
});

/** A trim and fades need samples that are counted by decoding. */
const cut = { trim: { start: 2.5 }, fade: { in: 1, out: 3 } };

test(
  'cut sound in segments has the length and the samples of one ffmpeg, beside outputs that are not divided',
  patient,
  async () => {
    await make('short.mp3', '-i', await music({ seconds: 100 }), '-b:a', '128k');
    const outputs: DescribedOutput[] = [
      { format: 'aac_96', ...cut },
      { format: 'opus_64', ...cut },
      { format: 'flac', ...cut },
    ];
    const { segments, result } = await spreadBy(service, 'short.mp3', outputs, 10);
    expect(segments).toEqual([
      { from: 0, to: expect.any(Number) },
      { from: segments[0]?.to, to: expect.any(Number) },
    ]);
    expect(result.outputs).toMatchObject([{ segments: 2 }, { segments: 2 }, { segments: 1 }]);
    const samplesOf = async (index: number): Promise<Buffer> =>
      Buffer.from((await rawSamplesOf(outputFile('short.mp3', index), 's16le')).buffer);
    const joined = await Promise.all([samplesOf(0), samplesOf(1)]);
    const flac = await sha256Of(outputFile('short.mp3', 2));
    const single = await encoded('short.mp3', outputs, { parallel: false });
    expect(result.source).toEqual(single.source);
    expect(await sha256Of(outputFile('short.mp3', 2))).toBe(flac);
    for (const [index, samples] of joined.entries()) {
      const plain = await samplesOf(index);
      expect(samples.length).toBe(plain.length);
      // The first segment's encoder has the same samples as that of the whole.
      const quarter = Math.floor(samples.length / 4);
      expect(samples.subarray(0, quarter).equals(plain.subarray(0, quarter))).toBe(true);
    }
  },
);

test.each<[string, object]>([
  ['ends after the sound', { from: 0, to: 1e9 }],
  ['is empty', { from: 50, to: 50 }],
])('a segment that %s is refused', async (_, range) => {
  const answer = await encode('music.wav', [{ format: 'mp3_128' }], {
    part: { kind: 'segment', source: {}, ...range },
  });
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
});

test('files that are no segments of the outputs are refused by their reason', async () => {
  const file = { url: container.fileUrl('sibling.mp3'), sha256: await sha256Of(service.file('sibling.mp3')) };
  const place = { file: 0, cut: 0, runIn: 0, samples: 1, isMended: false, seams: { exact: 0, matched: 0 } };
  const sound = { ...place, seamFrames: [] };
  const refusals: [unknown, string][] = [];
  for (const segments of [
    [[file], [file]],
    [[{ ...file, sound: { ...sound, file: 1 } }], [{ ...file, sound }]],
    [
      [
        { ...file, sound },
        { ...file, sound },
      ],
      [{ ...file, sound }],
    ],
    [[{ ...file, sound }], [{ ...file, sound: { ...sound, cut: 4000 } }]],
  ]) {
    const { body } = await encode('music.wav', [{ format: 'mp3_128' }], {
      part: { kind: 'join', source: {}, segments },
    });
    refusals.push([body.code, body.error]);
  }
  expect(refusals).toEqual(
    [
      /^Segment 1 has a file of no output\.$/,
      /^Segment 1 has a file of no output\.$/,
      /^Segment 1 has files of other outputs than the segments before it\.$/,
      /^The segments of the output mp3_128 cannot be joined: /,
    ].map((message) => ['segment_mismatch', expect.stringMatching(message)]),
  );
});
