import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

type Colour = readonly [number, number, number];

/** How readers interpret the values of a format: JFIF 1.02, RFC 6386, and the declaration of our AVIF. */
const readings = {
  png: undefined,
  jpeg: { kr: 0.299, kb: 0.114, isFull: true },
  webp: { kr: 0.299, kb: 0.114, isFull: false },
  avif: { kr: 0.2126, kb: 0.0722, isFull: false },
  bt709: { kr: 0.2126, kb: 0.0722, isFull: false },
} as const;

export type ReadFormat = keyof typeof readings;

async function rawPixels(path: string, output: readonly string[], input: readonly string[] = []): Promise<Buffer> {
  const args = ['-v', 'error', ...input, '-i', path, ...output, '-f', 'rawvideo', '-'];
  const { stdout } = await execute('ffmpeg', args, { encoding: 'buffer', maxBuffer: 256 * 1024 ** 2 });
  return stdout;
}

/** Extracts the AV1 stream of an AVIF (its `mdat`) into a file that ffmpeg 5.1 reads. */
export async function streamOfAvif(path: string): Promise<string> {
  const bytes = await readFile(path);
  const stream = bytes.subarray(bytes.indexOf('mdat', 0, 'latin1') + 4);
  await writeFile(`${path}.obu`, Buffer.concat([Buffer.from([0x12, 0x00]), stream]));
  return `${path}.obu`;
}

/** RGB from 0 to 255 at places of a picture, calculated by the standard of its format. */
export async function coloursAt(
  path: string,
  format: ReadFormat,
  width: number,
  places: readonly (readonly [x: number, y: number])[],
): Promise<Colour[]> {
  const reading = readings[format];
  if (reading === undefined) {
    const pixels = await rawPixels(path, ['-pix_fmt', 'rgb24']);
    return places.map(([x, y]) => [...pixels.subarray((y * width + x) * 3).subarray(0, 3)] as unknown as Colour);
  }
  const [file, input] = format === 'avif' ? [await streamOfAvif(path), ['-f', 'obu']] : [path, []];
  const frame = ['-frames:v', '1', '-pix_fmt', format === 'jpeg' ? 'yuvj444p' : 'yuv444p'];
  const pixels = await rawPixels(file, frame, input);
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

/** Pictures of a file in gray, scaled to one small size. */
export async function grayPictures(
  path: string,
  { width, height }: { width: number; height: number },
): Promise<Buffer[]> {
  const filter = `scale=${width}:${height}:flags=area,format=gray`;
  const args = ['-v', 'error', '-i', path, '-map', '0:v:0', '-vf', filter, '-fps_mode', 'passthrough'];
  const { stdout } = await execute('ffmpeg', [...args, '-f', 'rawvideo', '-'], {
    encoding: 'buffer',
    maxBuffer: 256 * 1024 ** 2,
  });
  const bytes = width * height;
  return Array.from({ length: stdout.length / bytes }, (_, at) => stdout.subarray(at * bytes, (at + 1) * bytes));
}

/** The most similar of these pictures, and the mean difference of pixels. */
export function nearestPicture(picture: Buffer, pictures: readonly Buffer[]): { number: number; difference: number } {
  const differences = pictures.map((other) => {
    let sum = 0;
    for (const [at, value] of picture.entries()) sum += Math.abs(value - (other[at] ?? 0));
    return sum / picture.length;
  });
  const difference = Math.min(...differences);
  return { number: differences.indexOf(difference), difference };
}

export function cropGray(
  picture: Buffer,
  width: number,
  part: { x: number; y: number; width: number; height: number },
): Buffer {
  const rows = Array.from({ length: part.height }, (_, row) => {
    const from = (part.y + row) * width + part.x;
    return picture.subarray(from, from + part.width);
  });
  return Buffer.concat(rows);
}
