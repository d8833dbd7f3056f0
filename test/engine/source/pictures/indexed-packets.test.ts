import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listPackets, type Packet } from '../../../../engine/ffmpeg/packet-list.ts';
import { probeFile } from '../../../../engine/ffmpeg/probe.ts';
import { parseRational } from '../../../../engine/ffmpeg/rational.ts';
import { listIndexedPackets } from '../../../../engine/source/pictures/indexed-packets.ts';
import { testFolder } from '../../../support/folder.ts';
import { run } from '../../../support/process.ts';

const { signal } = new AbortController();

const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=30000/1001:duration=2'];
const sound = ['-f', 'lavfi', '-i', 'sine=duration=2'];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '20'];

async function ffmpeg(...args: readonly string[]): Promise<void> {
  const { code, output } = await run('ffmpeg', ['-v', 'error', '-nostdin', ...args]);
  if (code !== 0) throw new Error(output);
}

async function makeFilm(name: string, options: readonly string[], inputs = [...pictures, ...sound]): Promise<string> {
  const path = join(testFolder(), name);
  await ffmpeg(...inputs, ...options, path);
  return path;
}

/** Packets of the picture stream by the file's index, and by ffprobe. */
async function listBoth(path: string): Promise<{ indexed: Packet[] | undefined; probed: Packet[] }> {
  const { streams } = await probeFile(path, { signal });
  const stream = streams.find(({ codec_type }) => codec_type === 'video');
  if (stream === undefined) throw new Error('it has no pictures');
  const { index, codec_name: codec } = stream;
  const timeBase = parseRational(stream.time_base) ?? { num: 0, den: 0 };
  return {
    indexed: await listIndexedPackets({ path, index, codec, timeBase }),
    probed: await listPackets(path, index, signal),
  };
}

test.each<[string, string, string[]]>([
  ['H.264 with reordered pictures', 'film.mp4', h264],
  ['an index at the front', 'film.mp4', [...h264, '-movflags', '+faststart']],
  ['sound before the pictures', 'film.mp4', ['-map', '1:a', '-map', '0:v', ...h264]],
  ['no edit list', 'film.mp4', [...h264, '-use_editlist', '0']],
  ['pictures in order', 'film.mp4', ['-c:v', 'mpeg4']],
  ['only key pictures', 'film.mov', ['-c:v', 'prores_ks']],
  ['QuickTime', 'film.mov', h264],
  ['HEVC', 'film.mp4', ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:keyint=20']],
  ['a varying rate', 'film.mp4', ['-vf', "select='not(mod(n,3))+not(mod(n,4))'", '-vsync', 'vfr', ...h264]],
])('the index of a file with %s lists the packets of ffprobe', async (_what, name, options) => {
  const { indexed, probed } = await listBoth(await makeFilm(name, options));
  expect(probed.length).toBeGreaterThan(25);
  expect(indexed).toEqual(probed.map((packet) => ({ ...packet, duration: undefined })));
});

test.each<[string, string, string[]]>([
  ['is in fragments', 'film.mp4', [...h264, '-movflags', '+frag_keyframe+empty_moov']],
  ['delays its pictures', 'film.mp4', ['-vf', 'setpts=PTS+1/TB', '-vsync', 'passthrough', ...h264]],
  ['has negative offsets', 'film.mp4', [...h264, '-movflags', '+negative_cts_offsets']],
  ['is not an MP4 file', 'film.mkv', h264],
])('a file that %s is left to ffprobe', async (_what, name, options) => {
  const { indexed, probed } = await listBoth(await makeFilm(name, options));
  expect(probed.length).toBeGreaterThan(30);
  expect(indexed).toBeUndefined();
});

/** Writes bytes behind the type of the only box of this type. */
async function patchBox(path: string, type: string, at: number, bytes: Buffer): Promise<void> {
  const file = await readFile(path);
  bytes.copy(file, file.indexOf(type, 0, 'latin1') + at);
  await writeFile(path, file);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

test.each<[string, string, number, Buffer]>([
  ['has no list of its key pictures', 'stss', 0, Buffer.from('free')],
  ['counts its key pictures from 0', 'stss', 12, number(0)],
  ['has an offset that ffmpeg ignores', 'ctts', 16, number(2 ** 28 + 1)],
])('a file that %s is left to ffprobe', async (_what, type, at, bytes) => {
  const path = await makeFilm('film.mp4', [...h264, '-an', '-use_editlist', '0']);
  await patchBox(path, type, at, bytes);
  const { indexed, probed } = await listBoth(path);
  expect(probed.filter(({ isKey }) => isKey)).toHaveLength(3);
  expect(indexed).toBeUndefined();
});

test('a file whose edit list hides pictures is left to ffprobe', async () => {
  const whole = await makeFilm('whole.mp4', h264);
  const cut = await makeFilm('cut.mp4', ['-c', 'copy'], ['-ss', '1', '-i', whole]);
  const { indexed, probed } = await listBoth(cut);
  expect(probed.some(({ isHidden }) => isHidden)).toBe(true);
  expect(indexed).toBeUndefined();
});

test('a file that lacks its last bytes is left to ffprobe', async () => {
  const path = await makeFilm('film.mp4', [...h264, '-movflags', '+faststart']);
  const { probed } = await listBoth(path);
  const bytes = probed.reduce((sum, { size }) => sum + size, 0);
  await truncate(path, Math.round(bytes / 2));
  expect((await listBoth(path)).indexed).toBeUndefined();
});
