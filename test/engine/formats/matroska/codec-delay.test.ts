import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { codecDelayPlace, writeCodecDelay } from '../../../../engine/formats/matroska/codec-delay.ts';
import { testFolder } from '../../../support/folder.ts';
import { probe } from '../../../support/media-files.ts';

/** Value of the element with this id, found by searching its bytes, independently of the code under test. */
function unsignedBehind(bytes: Buffer, id: string): bigint {
  const at = bytes.indexOf(Buffer.from(id, 'hex')) + id.length / 2;
  const length = (bytes[at] ?? 0) & 0x7f;
  return BigInt(`0x${bytes.subarray(at + 1, at + 1 + length).toString('hex')}`);
}

async function makeFilm(...options: string[]): Promise<string> {
  const folder = testFolder();
  const path = join(folder, 'film.mkv');
  const inputs = ['-f', 'lavfi', '-i', 'color=s=32x32:d=1', '-f', 'lavfi', '-i', 'sine=d=1:r=48000'];
  const place = ['-metadata:s:a:0', `title=${codecDelayPlace}`];
  execFileSync('ffmpeg', ['-v', 'error', ...inputs, '-c:v', 'mpeg4', '-c:a', 'aac', ...place, ...options, path]);
  return path;
}

test("a track's delay is written into its placeholder, and nothing else in the file changes", async () => {
  const path = await makeFilm();
  const before = await readFile(path);
  await writeCodecDelay(path, 1024 / 48_000, 0.08);
  const after = await readFile(path);
  expect(after).toHaveLength(before.length);
  expect(unsignedBehind(after, '56aa')).toBe(21_333_333n);
  expect(unsignedBehind(after, '56bb')).toBe(80_000_000n);
  // The track without its name, and a checksum of four bytes.
  const changed = [...after.keys()].filter((at) => after[at] !== before[at]);
  expect((changed.at(-1) ?? 0) - (changed[4] ?? 0)).toBeLessThan(20);
  const tracks = after.indexOf(Buffer.from('1654ae6b', 'hex'), after.indexOf(Buffer.from('1549a966', 'hex'), 200));
  const bodyAt = tracks + 4 + Math.clz32(after[tracks + 4] ?? 0) - 23;
  const size = Number(`0x${after.subarray(tracks + 4, bodyAt).toString('hex')}`) & 0x3fff;
  const body = after.subarray(bodyAt, bodyAt + size);
  expect(body.readUInt32LE(2)).toBe(crc32(body.subarray(6)));
  const { packets } = (await probe(path, '-select_streams', 'a', '-show_packets')) as { packets: { pts: number }[] };
  expect(packets.slice(0, 3).map(({ pts }) => pts)).toEqual([-21, 0, 21]);
});

test('a file without a checksum gets none, and one without a placeholder is rejected', async () => {
  const path = await makeFilm('-write_crc32', '0');
  await writeCodecDelay(path, 0.025, 0);
  expect(unsignedBehind(await readFile(path), '56aa')).toBe(25_000_000n);
  await expect(writeCodecDelay(path, 0.025, 0)).rejects.toThrow('without a place');
  await writeFile(path, (await readFile(path)).subarray(0, 60));
  await expect(writeCodecDelay(path, 0.025, 0)).rejects.toThrow('without tracks');
});
