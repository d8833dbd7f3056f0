import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ContainerName } from '../../../../contract/formats.ts';
import { id3v2Size } from '../../../../engine/formats/mp3/id3v2.ts';
import type { FileTags } from '../../../../engine/formats/tags/file-tags.ts';
import { pcmDigest, probe } from '../../../support/media-files.ts';
import { probeChapters, readTags } from './read-tags.ts';
import { makeTaggedPair, oggFlac, prepareTags, taggedKinds as kinds } from './tagged-files.ts';
import { useFolder } from '../../../support/folder.ts';

const execute = promisify(execFile);

const folder = useFolder();

const tags = await prepareTags(folder);

const makePair = async (container: ContainerName, encoding: readonly string[], given: FileTags) =>
  await makeTaggedPair(folder, container, encoding, given);

/** Bytes and timestamps of all audio packets in file order, and the samples that players must skip. */
async function packetsOf(path: string): Promise<string> {
  const { stdout } = await execute(
    'ffprobe',
    [
      ...['-v', 'error', '-select_streams', 'a:0', '-of', 'csv', '-show_data_hash', 'sha256'],
      ...['-show_entries', 'packet=pts,dts,duration,size,data_hash:packet_side_data:stream=start_pts,initial_padding'],
      path,
    ],
    { maxBuffer: 64 * 1024 ** 2 },
  );
  return stdout;
}

test.each([...kinds, oggFlac])(
  'tags in %s change no audio packet, timestamp or sample',
  async (_name, container, encoding) => {
    const { plain, tagged } = await makePair(container, encoding, tags);
    const packets = await packetsOf(plain);
    expect(packets.split('\n').length).toBeGreaterThan(10);
    expect(await packetsOf(tagged)).toBe(packets);
    expect(await pcmDigest(tagged, 's24le')).toBe(await pcmDigest(plain, 's24le'));
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([]);
  },
);

describe.each(kinds)('tags in %s', (_name, container, encoding) => {
  test('a reader without ffmpeg reads the tags', async () => {
    const { tagged } = await makePair(container, encoding, tags);
    const found = await readTags(tagged);
    expect(found).toMatchObject({
      ...{ title: 'Tïtel 🎧 & “mehr”', artist: 'Wir & Ihr', album: 'Ein Album', date: '2026-11-22', genre: 'Podcast' },
      track: { no: 3, of: 12 },
    });
    expect(found.comments).toContain('Zwei\nZeilen');
    expect([...found.native.values()]).toContain('höher = 7');
    expect(found.picture).toEqual({ mimeType: 'image/jpeg', bytes: tags.cover?.bytes });
    const chapters = [
      { start: 0, title: 'Begrüßung' },
      { start: 3.5, title: '第二章' },
      { start: 8.999, title: 'Ende 🎉' },
    ];
    // The reader ignores cue points.
    if (container !== 'wav') expect(found.chapters).toEqual(chapters);
    const probed = await probeChapters(tagged);
    expect(probed.map(({ title }) => title)).toEqual(chapters.map(({ title }) => title));
    for (const [index, { start }] of probed.entries()) expect(start).toBeCloseTo(chapters[index]?.start ?? -1, 3);
  });

  test('a file has only a title if only a title is set', async () => {
    const title: FileTags = { metadata: new Map([['title', 'Eins']]), chapters: [], cover: undefined };
    const { tagged } = await makePair(container, encoding, title);
    const found = await readTags(tagged);
    expect(found).toMatchObject({ title: 'Eins', artist: undefined, picture: undefined, chapters: [] });
  });
});

test('ffprobe reads tags in FLAC in Ogg', async () => {
  const { tagged } = await makePair(oggFlac[1], oggFlac[2], tags);
  const { streams } = (await probe(tagged, '-show_streams')) as {
    streams: { codec_name: string; tags: Record<string, string> }[];
  };
  expect(streams.map(({ codec_name }) => codec_name)).toEqual(['flac', 'mjpeg']);
  expect(streams[0]?.tags).toMatchObject({ TITLE: 'Tïtel 🎧 & “mehr”', track: '3/12', 'SHOW ID': 'höher = 7' });
  expect(await probeChapters(tagged)).toMatchObject([{ start: 0 }, { start: 3.5 }, { start: 8.999, title: 'Ende 🎉' }]);
});

test("every byte after an mp3's tag stays the same, including the encoder's data", async () => {
  const { plain, tagged } = await makePair('mp3', ['-c:a', 'libmp3lame', '-b:a', '96k'], tags);
  const behindTag = async (path: string) => {
    const bytes = await readFile(path);
    return bytes.subarray(id3v2Size(bytes));
  };
  const audio = await behindTag(plain);
  expect(audio.toString('latin1', 0, 256)).toMatch(/Info|Xing/);
  expect((await behindTag(tagged)).equals(audio)).toBe(true);
  // Version according to ID3v2.3.0, 3.1. Old players misread 2.4.
  expect((await readFile(tagged)).subarray(0, 5)).toEqual(Buffer.from('ID3\u0003\u0000', 'latin1'));
});

test.each(['m4a', 'm4b'] as const)('chapters of %s that start late do so for every reader', async (container) => {
  const chapters = [
    { startMs: 2500, endMs: 6000, title: 'Eins', url: undefined },
    { startMs: 6000, endMs: 12_000, title: 'Zwei', url: undefined },
  ];
  const { plain, tagged } = await makePair(container, ['-c:a', 'aac'], { ...tags, chapters });
  const expected = [
    { start: 0, title: '' },
    { start: 2.5, title: 'Eins' },
    { start: 6, title: 'Zwei' },
  ];
  expect(await probeChapters(tagged)).toEqual(expected);
  expect((await readTags(tagged)).chapters).toEqual(expected);
  expect(await packetsOf(tagged)).toBe(await packetsOf(plain));
});

test('a thousand chapters are found in each kind of file', async () => {
  const chapters = Array.from({ length: 1000 }, (_, index) => ({
    ...{ startMs: index * 12, endMs: (index + 1) * 12 },
    ...{ title: `Kapitel ${index + 1}`, url: undefined },
  }));
  for (const [container, encoding] of [
    ['mp3', ['-c:a', 'libmp3lame']],
    ['m4b', ['-c:a', 'aac']],
    ['ogg', ['-c:a', 'libopus']],
    ['flac', ['-c:a', 'flac']],
  ] as const) {
    const { plain, tagged } = await makePair(container, encoding, { ...tags, chapters });
    const found = (await readTags(tagged)).chapters;
    expect(found).toHaveLength(1000);
    expect(found.at(-1)).toEqual({ start: 11.988, title: 'Kapitel 1000' });
    expect(await pcmDigest(tagged, 's24le')).toBe(await pcmDigest(plain, 's24le'));
  }
});
