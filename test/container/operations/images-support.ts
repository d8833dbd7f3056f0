import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

type Colour = readonly [number, number, number];

/** What readers of a format take its values for: JFIF 1.02, RFC 6386, and what our AVIF says of itself. */
const readings = {
  png: undefined,
  jpeg: { kr: 0.299, kb: 0.114, isFull: true },
  webp: { kr: 0.299, kb: 0.114, isFull: false },
  avif: { kr: 0.2126, kb: 0.0722, isFull: false },
} as const;

export type ReadFormat = keyof typeof readings;

async function rawPixels(path: string, pixelFormat: string, input: readonly string[] = []): Promise<Buffer> {
  const args = ['-v', 'error', ...input, '-i', path, '-f', 'rawvideo', '-pix_fmt', pixelFormat, '-'];
  const { stdout } = await execute('ffmpeg', args, { encoding: 'buffer', maxBuffer: 256 * 1024 ** 2 });
  return stdout;
}

/** The AV1 in an AVIF, as a file that ffmpeg 5.1 reads: all that lies in its `mdat`. */
export async function streamOfAvif(path: string): Promise<string> {
  const bytes = await readFile(path);
  const stream = bytes.subarray(bytes.indexOf('mdat', 0, 'latin1') + 4);
  await writeFile(`${path}.obu`, Buffer.concat([Buffer.from([0x12, 0x00]), stream]));
  return `${path}.obu`;
}

/** The red, green and blue of places of a picture, from 0 to 255: calculated from its values as the standard of its format has it. */
export async function coloursAt(
  path: string,
  format: ReadFormat,
  width: number,
  places: readonly (readonly [x: number, y: number])[],
): Promise<Colour[]> {
  const reading = readings[format];
  if (reading === undefined) {
    const pixels = await rawPixels(path, 'rgb24');
    return places.map(([x, y]) => [...pixels.subarray((y * width + x) * 3).subarray(0, 3)] as unknown as Colour);
  }
  const [file, input] = format === 'avif' ? [await streamOfAvif(path), ['-f', 'obu']] : [path, []];
  const pixels = await rawPixels(file, format === 'jpeg' ? 'yuvj444p' : 'yuv444p', input);
  const { kr, kb, isFull } = reading;
  const plane = pixels.length / 3;
  return places.map(([x, y]) => {
    const at = y * width + x;
    const [luma, blue, red] = [pixels[at] ?? 0, pixels[plane + at] ?? 0, pixels[2 * plane + at] ?? 0];
    const light = isFull ? luma : ((luma - 16) * 255) / 219;
    const [cb, cr] = [blue, red].map((value) => (isFull ? value - 128 : ((value - 128) * 255) / 224)) as [
      number,
      number,
    ];
    const r = light + 2 * (1 - kr) * cr;
    const b = light + 2 * (1 - kb) * cb;
    return [r, (light - kr * r - kb * b) / (1 - kr - kb), b];
  });
}

/** The lightness of each of so many pictures of a film, from 0 to 255. */
export async function meanLightness(path: string): Promise<number> {
  const pixels = await rawPixels(path, 'gray');
  return pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
}
