import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildBox } from '../../../engine/formats/isobmff/box.ts';
import type { Ending } from '../../../engine/formats/ending.ts';
import { readEnding } from '../../../engine/formats/read-ending.ts';
import { musicOgg } from '../../support/media.ts';
import { makeMedia } from '../../support/media-files.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=4'];

/** A file of 4 seconds, with ffprobe's format name. */
const kinds: [name: string, formatName: string, before: string[], after: string[]][] = [
  ['a.wav', 'wav', [], []],
  ['a.caf', 'caf', [], []],
  ['a.w64', 'w64', [], []],
  ['a.wma', 'asf', [], []],
  ['a.aiff', 'aiff', [], []],
  ['a.au', 'au', [], []],
  ['packets.caf', 'caf', [], ['-c:a', 'alac']],
  ['a.ogg', 'ogg', [], ['-c:a', 'libvorbis']],
  ['a.opus', 'ogg', [], []],
  ['film.ogv', 'ogg', picture, ['-c:v', 'libtheora', '-c:a', 'libvorbis']],
  ['a.mka', 'matroska,webm', [], ['-c:a', 'flac']],
  ['film.webm', 'matroska,webm', picture, ['-c:v', 'libvpx', '-c:a', 'libopus']],
  ['a.m4a', 'mov,mp4,m4a,3gp,3g2,mj2', [], []],
  ['film.mov', 'mov,mp4,m4a,3gp,3g2,mj2', picture, ['-c:v', 'mpeg4', '-c:a', 'pcm_s16le', '-movflags', '+faststart']],
  [
    'fragments.mp4',
    'mov,mp4,m4a,3gp,3g2,mj2',
    [],
    ['-movflags', '+frag_keyframe+empty_moov', '-frag_duration', '500000'],
  ],
  ['dash.mp4', 'mov,mp4,m4a,3gp,3g2,mj2', [], ['-movflags', '+dash+global_sidx', '-frag_duration', '500000']],
  ['a.avi', 'avi', [], ['-c:a', 'pcm_s16le']],
  ['film.avi', 'avi', picture, ['-c:v', 'mpeg4', '-c:a', 'libmp3lame']],
  ['a.flv', 'flv', [], ['-c:a', 'libmp3lame']],
  ['film.flv', 'flv', picture, ['-c:v', 'flv', '-c:a', 'libmp3lame']],
];

describe.each(kinds)('%s', (name, formatName, before, after) => {
  test('a whole file is recognised as complete, and never without its last bytes', async () => {
    const bytes = await readFile(await makeMedia(folder, name, ...before, '-i', musicOgg, '-t', '4', ...after));
    expect((await readEnding(join(folder, name), formatName)).kind).toBe('whole');
    const cut = join(folder, `cut-${name}`);
    for (let share = 0; share < 1; share += 0.04) {
      await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length * share)));
      expect((await readEnding(cut, formatName)).kind, `${share}`).not.toBe('whole');
    }
    // Half a page, box, tag, cluster or index.
    for (const missing of [1, 2, 5, 11, 30]) {
      await writeFile(cut, bytes.subarray(0, bytes.length - missing));
      expect((await readEnding(cut, formatName)).kind, `${missing} bytes`).toBe('cut');
    }
  });
});

test.each([
  ['streamed.mka', 'matroska,webm', 'matroska', 'libopus'],
  ['streamed.webm', 'matroska,webm', 'webm', 'libopus'],
  ['streamed.avi', 'avi', 'avi', 'pcm_s16le'],
  ['streamed.wav', 'wav', 'wav', 'pcm_s16le'],
  ['streamed.caf', 'caf', 'caf', 'pcm_s16le'],
  ['streamed.asf', 'asf', 'asf', 'wmav2'],
])('%s declares no length and may be complete', async (name, formatName, muxer, codec) => {
  const path = await makeMedia(folder, name, '-i', musicOgg, '-t', '2', '-c:a', codec, '-f', muxer, '-seekable', '0');
  expect((await readEnding(path, formatName)).kind).toBe('unknown');
});

test.each([0x7f_00_00_08, 0x7e_ff_ff_f8])('an AIFF that SoX pipes, of %i bytes, declares no length', async (size) => {
  const path = await makeMedia(folder, 'piped.aiff', '-i', musicOgg, '-t', '2');
  const bytes = await readFile(path);
  bytes.writeUInt32BE(size, bytes.indexOf('SSND') + 4);
  await writeFile(path, bytes);
  expect(await readEnding(path, 'aiff')).toEqual({ kind: 'unknown', declaredSeconds: 'none' });
});

test.each(kinds.map(([, formatName]) => formatName))(
  'data that is not %s is never called complete and causes no error',
  async (formatName) => {
    const path = join(folder, 'other');
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(1),
      Buffer.alloc(70_000),
      Buffer.alloc(70_000, 0xff),
      Buffer.from('RIFF\0\0\0\0AVI LIST'.repeat(2000)),
      Buffer.from('OggS\0\0\0'.repeat(9000)),
      Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67]),
      Buffer.from('\0\0\0\x18moov\0\0\0\x10mvex\0\0\0\x08mehd'),
    ]) {
      await writeFile(path, bytes);
      expect((await readEnding(path, formatName)).kind).not.toBe('whole');
    }
  },
);

const fragmented = (): Buffer => {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1000, 12);
  return buildBox('moov', Buffer.concat([buildBox('mvhd', header), buildBox('mvex', Buffer.alloc(0))]));
};

/** A segment index of seconds; `type` 1 refers to another index. */
function segmentIndex(id: number, references: readonly (readonly [type: 0 | 1, seconds: number])[]): Buffer {
  const words = [0, id, 1, 0, 0, references.length, ...references.flatMap(([type, s]) => [type * 2 ** 31, s, 0])];
  const index = Buffer.alloc(words.length * 4);
  for (const [place, word] of words.entries()) index.writeUInt32BE(word, place * 4);
  return buildBox('sidx', index);
}

const ofIndex = (seconds: number): Ending => {
  return { kind: 'unknown', declaredSeconds: 'none', indexedSeconds: new Map([[1, seconds]]) };
};

const fragment = buildBox('moof', Buffer.alloc(20));
const samples = buildBox('mdat', Buffer.alloc(200));
/** Two fragments of 5 seconds. */
const fragments = [fragment, samples, fragment, samples];
const times = <const T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const pair = segmentIndex(1, times(2, [0, 5]));

test.each<[string, Buffer[], Buffer[][]]>([
  ['one index', [segmentIndex(1, times(60, [0, 10]))], times(60, fragments)],
  ['an index before each pair of fragments', [], times(60, [pair, ...fragments])],
  ['an index of indexes', [segmentIndex(1, times(60, [1, 10]))], times(60, [pair, ...fragments])],
  [
    'a chain of indexes',
    [],
    Array.from({ length: 60 }, (_, place) => [
      segmentIndex(
        1,
        place === 59
          ? [[0, 10]]
          : [
              [0, 10],
              [1, 590 - place * 10],
            ],
      ),
      ...fragments,
    ]),
  ],
])('an MP4 with %s declares the seconds of all its fragments', async (name, head, body) => {
  const path = join(folder, `${name}.mp4`);
  const declared = async (parts: Buffer[][]) => {
    await writeFile(path, Buffer.concat([fragmented(), ...head, ...parts.flat()]));
    return await readEnding(path, 'mov,mp4,m4a,3gp,3g2,mj2');
  };
  expect(await declared(body)).toEqual(ofIndex(600));
  // Without a first index of the whole, a file cannot declare what it lacks.
  const half = name.startsWith('an index before') ? 300 : 600;
  expect(await declared(body.slice(0, 30))).toEqual(ofIndex(half));
});

test('two concatenated MP4 files with segment indexes declare the sum of their seconds', async () => {
  const path = join(folder, 'concatenated.mp4');
  const file = [fragmented(), segmentIndex(1, times(2, [1, 10])), ...times(2, [pair, ...fragments]).flat()];
  await writeFile(path, Buffer.concat([...file, ...file]));
  expect(await readEnding(path, 'mov,mp4,m4a,3gp,3g2,mj2')).toEqual(ofIndex(40));
});

test('an MP4 with segment indexes of very many tracks declares the length of each', async () => {
  const indexes = Array.from({ length: 150_000 }, (_, id) => segmentIndex(id, [[0, 5]]));
  const path = join(folder, 'indexes.mp4');
  await writeFile(path, Buffer.concat([fragmented(), ...indexes]));
  const { indexedSeconds } = await readEnding(path, 'mov,mp4,m4a,3gp,3g2,mj2');
  expect(new Set(indexedSeconds?.values())).toEqual(new Set([5]));
  expect(indexedSeconds?.size).toBe(150_000);
});

test.each([
  ['of constant bitrate', ['-b:a', '128k']],
  ['of variable bitrate', ['-q:a', '4']],
  ['of one channel at a low rate', ['-ac', '1', '-ar', '16000', '-b:a', '32k']],
])('an mp3 %s without an Info frame is recognised as truncated within its last frame', async (_, args) => {
  const bytes = await readFile(
    await makeMedia(folder, 'bare.mp3', '-i', musicOgg, '-t', '4', '-write_xing', '0', ...args),
  );
  const withChecksumBits = Buffer.from(bytes);
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1))
    if (((bytes[at + 1] ?? 0) & 0xe7) === 0xe3) withChecksumBits[at + 1] = (bytes[at + 1] ?? 0) & 0xfe;
  const path = join(folder, 'bare-cut.mp3');
  for (const whole of [bytes, withChecksumBits]) {
    await writeFile(path, Buffer.concat([whole, Buffer.from('TAG'), Buffer.alloc(125)]));
    expect((await readEnding(path, 'mp3')).kind).toBe('unknown');
    await writeFile(path, whole);
    expect((await readEnding(path, 'mp3')).kind).toBe('unknown');
    for (const missing of [1, 30, 60]) {
      await writeFile(path, whole.subarray(0, whole.length - missing));
      expect((await readEnding(path, 'mp3')).kind, `${missing} bytes`).toBe('cut');
    }
  }
});

test('an mp3 with an Info frame is recognised as truncated if one byte is missing, also after a tag', async () => {
  for (const args of [[], ['-metadata', `comment=${'long '.repeat(400)}`], ['-q:a', '4']]) {
    const bytes = await readFile(await makeMedia(folder, 'a.mp3', '-i', musicOgg, '-t', '4', ...args));
    // Its length is verified by decoding.
    expect((await readEnding(join(folder, 'a.mp3'), 'mp3')).kind).toBe('unknown');
    const cut = join(folder, 'cut.mp3');
    for (const missing of [1, 100, 1000]) {
      await writeFile(cut, bytes.subarray(0, bytes.length - missing));
      expect((await readEnding(cut, 'mp3')).kind, `${missing} bytes`).toBe('cut');
    }
  }
});

test('a WAV header without a byte rate, as of a variable-rate codec, is judged by its bytes', async () => {
  const path = await makeMedia(folder, 'no-rate.wav', '-i', musicOgg, '-t', '4', '-c:a', 'libmp3lame');
  const bytes = await readFile(path);
  expect((await readEnding(path, 'wav')).kind).toBe('whole');
  await writeFile(path, bytes.subarray(0, bytes.length / 2));
  expect(await readEnding(path, 'wav')).toEqual({ kind: 'cut', presentShare: expect.closeTo(0.5, 1) });
});
