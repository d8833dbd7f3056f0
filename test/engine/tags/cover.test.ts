import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { prepareCover, type CoverRule } from '../../../engine/tags/cover.ts';
import type { Picture } from '../../../engine/formats/tags/file-tags.ts';
import { makeMedia } from '../../support/media-files.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

/** Four squares: `RG/BW` is red beside green, above blue beside white. */
const squares = ['red', 'lime', 'blue', 'white'].map((color) => `color=${color}:s=700x700,format=gbrp`);
const graph = `${squares.map((one, index) => `${one}[${index}]`).join(';')};[0][1]hstack[a];[2][3]hstack[b];[a][b]vstack`;

const options = ['-filter_complex', graph, '-frames:v', '1'];
await makeMedia(folder, 'squares.png', ...options);
await makeMedia(folder, 'squares.jpg', ...options, '-pix_fmt', 'yuvj444p', '-q:v', '2');

async function prepare(bytes: Buffer, rule: CoverRule = 'delivery'): Promise<Picture> {
  const path = join(folder, 'given');
  await writeFile(path, bytes);
  const limits = { stallTimeoutSeconds: 60, maxOutputBytes: 1e9, maxCpuSeconds: 60, writableFolder: folder };
  return await prepareCover(path, rule, { limits, folder, signal: new AbortController().signal });
}

/** Colours in the middle of each square for a viewer that ignores Exif. */
async function colorsOf({ bytes }: Picture): Promise<number[][]> {
  const path = join(folder, 'shown');
  await writeFile(path, bytes);
  const args = [
    '-v',
    'error',
    '-noautorotate',
    '-i',
    path,
    '-vf',
    'scale=1400:1400',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ];
  const { stdout } = await promisify(execFile)('ffmpeg', args, { encoding: 'buffer', maxBuffer: 2 ** 26 });
  return [350, 1050].flatMap((y) =>
    [350, 1050].map((x) => [...stdout.subarray((y * 1400 + x) * 3, (y * 1400 + x) * 3 + 3)]),
  );
}

const colors: Record<string, number[]> = { R: [255, 0, 0], G: [0, 255, 0], B: [0, 0, 255], W: [255, 255, 255] };

function expectColors(found: readonly number[][], expected: string): void {
  const wanted = expected
    .split('')
    .filter((letter) => letter !== '/')
    .flatMap((letter) => colors[letter] ?? []);
  const worst = Math.max(...found.flat().map((value, index) => Math.abs(value - (wanted[index] ?? -1))));
  expect({ expected, worst: worst <= 6 ? 'near' : found }).toEqual({ expected, worst: 'near' });
}

/** Adds a camera's Exif: orientation and location. */
function withExif(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from('49492a0008000000010012010300010000000000000000000000', 'hex');
  tiff.writeUInt16LE(orientation, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from('N 48.208 E 16.373')]);
  const head = Buffer.from('ffe10000', 'hex');
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

describe('a cover', () => {
  test.each(['squares.png', 'squares.jpg'])(
    'a cover made of %s keeps its colours, and white stays white',
    async (name) => {
      const made = await prepare(await readFile(join(folder, name)));
      expect(made).toMatchObject({ mimeType: 'image/jpeg', width: 1400, height: 1400 });
      expectColors(await colorsOf(made), 'RG/BW');
    },
  );

  test.each([
    [5, 'RB/GW'],
    [6, 'BR/WG'],
  ])('a photo with orientation %i becomes an upright cover without its location', async (orientation, expected) => {
    const made = await prepare(withExif(await readFile(join(folder, 'squares.jpg')), orientation));
    expectColors(await colorsOf(made), expected);
    expect(made.bytes.includes('16.373')).toBe(false);
  });

  test('a valid cover keeps its picture data and loses everything else', async () => {
    const options = ['-filter_complex', graph, '-frames:v', '1', '-pix_fmt', 'yuvj420p'];
    const plain = await readFile(await makeMedia(folder, 'plain.jpg', ...options));
    const given = Buffer.concat([withExif(plain, 1), Buffer.from('<html><script>alert(1)</script>PK\u0003\u0004')]);
    const made = await prepare(given);
    const scan = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf(Buffer.of(0xff, 0xda)));
    expect(scan(made.bytes).equals(scan(plain))).toBe(true);
    expect(made.bytes.toString('latin1')).not.toMatch(/Exif|16\.373|script|Lavc/);
    // A source's own picture is kept unchanged.
    expect((await prepare(given, 'kept')).bytes.equals(given)).toBe(true);
  });

  test.each([
    ['one pixel', ['-f', 'lavfi', '-i', 'color=red:s=2x2,format=rgb24,crop=1:1'], 'jpg'],
    ['samples of 16 bits', ['-f', 'lavfi', '-i', 'testsrc=s=64x48', '-pix_fmt', 'rgb48be'], 'png'],
  ])('a cover that is %s is converted for delivery', async (_what, options, ending) => {
    const given = await readFile(await makeMedia(folder, `odd.${ending}`, ...options, '-frames:v', '1'));
    expect(await prepare(given)).toMatchObject({ mimeType: 'image/jpeg', width: 1400, height: 1400 });
  });

  test.each([
    ['an animation', ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=5:d=1'], 'gif'],
    ['a film', ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=5:d=1', '-c:v', 'mjpeg'], 'avi'],
  ])('a cover that is %s is rejected with a sentence', async (_what, options, ending) => {
    const given = await readFile(await makeMedia(folder, `odd.${ending}`, ...options));
    await expect(prepare(given)).rejects.toThrow(/not a still picture in JPEG, PNG or WebP/);
  });
});
