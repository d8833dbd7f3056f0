import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { resolveOutput } from '../../../../contract/resolve-output.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { clapFilm, clicksOf, flashesOf, pictureHashes, picturePackets, quickH264 } from '../../../support/films.ts';

const service = await useEncodes();
const { encode, encoded, make, file, outputFile } = service;

interface TopBox {
  type: string;
  at: number;
  size: number;
}

function boxesOf(bytes: Buffer): TopBox[] {
  const boxes: TopBox[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), at, size: bytes.readUInt32BE(at) });
  }
  return boxes;
}

/** Places of fragments for each track, by the last box of the file (version 1, numbers of one byte). */
function indexedPlaces(mfra: Buffer): number[] {
  const places: number[] = [];
  for (let at = 8; at < mfra.length; at += mfra.readUInt32BE(at)) {
    if (mfra.toString('latin1', at + 4, at + 8) !== 'tfra') continue;
    const count = mfra.readUInt32BE(at + 20);
    for (let index = 0; index < count; index += 1) places.push(Number(mfra.readBigUInt64BE(at + 24 + index * 19 + 8)));
  }
  return places;
}

const film = {
  container: 'mp4',
  fragmented: true,
  video: { codec: 'h264', speed: 'fast', keyframeInterval: 1 },
  audio: { codec: 'aac', bitrate: 96 },
  metadata: { title: 'In fragments' },
} as const;

test('writes a film in fragments that decode one by one, with sound and pictures in step', async () => {
  const source = await make('claps.mkv', ...clapFilm(4), ...quickH264, '-c:a', 'pcm_s16le');
  const { fragmented: _, ...whole } = film;
  const result = await encoded('claps.mkv', [film, whole]);
  const [path, plain] = [outputFile('claps.mkv', 0), outputFile('claps.mkv', 1)];
  expect(result.outputs[0]).toMatchObject({ duration: 4, container: 'mp4' });

  const bytes = await readFile(path);
  const boxes = boxesOf(bytes);
  expect(boxes.map(({ type }) => type)).toEqual([
    ...['ftyp', 'moov', 'sidx', 'sidx'],
    ...['moof', 'mdat', 'moof', 'mdat', 'moof', 'mdat', 'moof', 'mdat'],
    'mfra',
  ]);
  const fragments = boxes.filter(({ type }) => type === 'moof');
  const { at: indexAt = NaN } = boxes.at(-1) ?? {};
  const places = fragments.map(({ at }) => at);
  // The index lists the pictures, then the sound.
  expect(indexedPlaces(bytes.subarray(indexAt))).toEqual([...places, ...places]);

  const hashes = await pictureHashes(path);
  expect(hashes).toEqual(await pictureHashes(plain));
  expect((await picturePackets(path)).map(({ time }) => Math.round(time * 25))).toEqual([...hashes.keys()]);
  expect(await flashesOf(path)).toEqual(await flashesOf(source));
  for (const [index, click] of (await clicksOf(path)).entries()) {
    expect(Math.abs(click - 0.48 - index)).toBeLessThanOrEqual(0.001);
  }
  const init = bytes.subarray(0, fragments[0]?.at);
  const alone = [];
  for (const [index, { at }] of fragments.entries()) {
    await writeFile(file('one.mp4'), Buffer.concat([init, bytes.subarray(at, fragments[index + 1]?.at ?? indexAt)]));
    alone.push(...(await pictureHashes(file('one.mp4'))));
  }
  expect(alone).toEqual(hashes);

  const { format } = await probeAll(path);
  expect(format.tags?.['title']).toBe('In fragments');
  // The first bytes already declare the length.
  await writeFile(file('head.mp4'), bytes.subarray(0, places[1]));
  expect(Number((await probeAll(file('head.mp4'))).format.duration)).toBeCloseTo(4, 1);
});

test('writes copied packets, and sound alone, in fragments', async () => {
  await make('copied.mkv', ...clapFilm(5), ...quickH264, '-g', '25', '-c:a', 'aac');
  const copied = { ...film, video: { copy: true }, audio: { copy: true } } as const;
  const sound = { container: 'm4a', fragmented: true, audio: { codec: 'aac', bitrate: 64 } } as const;
  const answer = await encode('copied.mkv', [copied, sound]);
  expect(answer.body).toMatchObject({
    outputs: [{ streams: [{ copied: true }, { copied: true }] }, { duration: expect.closeTo(5.019 + 0.035, 2) }],
  });
  expect(await pictureHashes(outputFile('copied.mkv'))).toEqual(await pictureHashes(file('copied.mkv')));
  const types = boxesOf(await readFile(outputFile('copied.mkv', 1))).map(({ type }) => type);
  expect(types.filter((type) => type === 'moof').length).toBe(2);
  const [clicks, own] = [await clicksOf(outputFile('copied.mkv', 1)), await clicksOf(file('copied.mkv'))];
  // The encoder's delay precedes the first picture by 21 ms. The film begins one picture, 40 ms, before that picture.
  expect(clicks).toEqual(own.map((click) => expect.closeTo(click + 0.019, 3)));
});

test('rejects what fragments cannot hold', async () => {
  await make('small.mp4', ...clapFilm(1), ...quickH264, '-c:a', 'aac');
  const errorOf = async (output: object) =>
    (await encode('small.mp4', [output])).body as { code: string; error: string };
  expect(await errorOf({ container: 'mkv', fragmented: true, video: {} })).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining('mkv files cannot be fragmented; m4a, m4b, mp4 or mov files can'),
  });
  expect(await errorOf({ ...film, chapters: [{ start: 0, title: 'One' }] })).toMatchObject({
    error: expect.stringContaining('a fragmented file cannot hold chapters'),
  });
  expect(() => resolveOutput({ package: ['hls'], fragmented: true }, {})).toThrow('fragmented is not for packages');
});
