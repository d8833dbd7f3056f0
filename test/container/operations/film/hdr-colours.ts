import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { writeFile } from 'node:fs/promises';
import { words } from '../../../support/media-files.ts';

/** Red, green and blue, or any three numbers of a colour. */
export type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

const execute = promisify(execFile);

const times = (matrix: Matrix, [a, b, c]: Triple): Triple => {
  const row = ([x, y, z]: Triple): number => x * a + y * b + z * c;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
};

const map = ([a, b, c]: Triple, change: (value: number) => number): Triple => [change(a), change(b), change(c)];

/** ITU-R BT.2087: linear light of BT.2020's primaries in those of BT.709. The luma weights are of ITU-R BT.2020 and BT.709. */
const from2020: Matrix = [
  [1.660491, -0.587641, -0.07285],
  [-0.12455, 1.1329, -0.008349],
  [-0.018151, -0.100579, 1.11873],
];
const to2020: Matrix = [
  [0.627404, 0.329283, 0.043313],
  [0.069097, 0.91954, 0.011362],
  [0.016391, 0.088013, 0.895595],
];
const luma2020: Triple = [0.2627, 0.678, 0.0593];
const luma709: Triple = [0.2126, 0.7152, 0.0722];

const lumaOf = (weights: Triple, colour: Triple): number => times([weights, weights, weights], colour)[0];

/** Encoding of colours: RGB, or luma and chroma in one of two ranges (ITU-R BT.2100, table 9). */
export type Coding = 'limited' | 'full' | 'rgb';

/** Code values of black, and the spans of luma and chroma. */
function rangeOf(coding: Coding, bits: number): { zero: number; luma: number; chroma: number } {
  const scale = 2 ** (bits - 8);
  const most = 2 ** bits - 1;
  return coding === 'limited'
    ? { zero: 16 * scale, luma: 219 * scale, chroma: 224 * scale }
    : { zero: 0, luma: most, chroma: most };
}

function toCode(weights: Triple, [r, g, b]: Triple, bits: number, coding: Coding = 'limited'): Triple {
  const { zero, luma, chroma } = rangeOf(coding, bits);
  if (coding === 'rgb') return map([r, g, b], (value) => value * luma);
  const y = lumaOf(weights, [r, g, b]);
  const difference = (value: number, weight: number): number =>
    2 ** (bits - 1) + (chroma * (value - y)) / (2 * (1 - weight));
  return [zero + luma * y, difference(b, weights[2]), difference(r, weights[0])];
}

function toRgb(weights: Triple, code: Triple, bits: number, coding: Coding): Triple {
  const { zero, luma, chroma } = rangeOf(coding, bits);
  if (coding === 'rgb') return map(code, (value) => value / luma);
  const y = (code[0] - zero) / luma;
  const colour = (value: number, weight: number): number => y + ((value - 2 ** (bits - 1)) / chroma) * 2 * (1 - weight);
  const [r, b] = [colour(code[2], weights[0]), colour(code[1], weights[2])];
  return [r, (y - weights[0] * r - weights[2] * b) / weights[1], b];
}

/** SMPTE ST 2084 with a peak of 10,000 cd/m². */
const pq = {
  m1: 2610 / 16384,
  m2: (2523 / 4096) * 128,
  c1: 3424 / 4096,
  c2: (2413 / 4096) * 32,
  c3: (2392 / 4096) * 32,
};
function toPq(nits: number): number {
  const power = Math.max(0, nits / 10_000) ** pq.m1;
  return ((pq.c1 + pq.c2 * power) / (1 + pq.c3 * power)) ** pq.m2;
}
function fromPq(code: number): number {
  const root = Math.max(0, code) ** (1 / pq.m2);
  return 10_000 * (Math.max(0, root - pq.c1) / (pq.c2 - pq.c3 * root)) ** (1 / pq.m1);
}

/** ITU-R BT.2100's hybrid log-gamma, on a screen of 1000 cd/m² (system gamma 1.2). */
const hlg = { a: 0.17883277, b: 0.28466892, c: 0.55991073 };
const toHlg = (scene: number): number =>
  scene <= 1 / 12 ? Math.sqrt(3 * Math.max(0, scene)) : hlg.a * Math.log(12 * scene - hlg.b) + hlg.c;
const fromHlg = (code: number): number =>
  code <= 0.5 ? Math.max(0, code) ** 2 / 3 : (Math.exp((code - hlg.c) / hlg.a) + hlg.b) / 12;

/** Converts between the signal and a screen's light in cd/m² of BT.2020's primaries. */
interface Transfer {
  name: 'smpte2084' | 'arib-std-b67';
  toSignal(nits: Triple): Triple;
  toLight(signal: Triple): Triple;
}

export const transfers: Record<'pq' | 'hlg', Transfer> = {
  pq: { name: 'smpte2084', toSignal: (nits) => map(nits, toPq), toLight: (signal) => map(signal, fromPq) },
  hlg: {
    name: 'arib-std-b67',
    toSignal: (nits) => {
      const luma = lumaOf(luma2020, nits) / 1000;
      return map(nits, (value) => (luma <= 0 ? 0 : toHlg((value / 1000) * luma ** (1 / 1.2 - 1))));
    },
    toLight: (signal) => {
      const scene = map(signal, fromHlg);
      const luma = lumaOf(luma2020, scene);
      return map(scene, (value) => (luma <= 0 ? 0 : 1000 * value * luma ** 0.2));
    },
  },
};

/** 10-bit signal of light of BT.709's primaries in cd/m². */
export function signalOf(transfer: Transfer, nits: Triple, coding: Coding = 'limited'): Triple {
  return map(toCode(luma2020, transfer.toSignal(times(to2020, nits)), 10, coding), Math.round);
}

/** Unmapped colours in 8 bits of the limited range. */
export function expectedKept(signal: Triple, coding: Coding): Triple {
  return toCode(luma2020, toRgb(luma2020, signal, 10, coding), 8);
}

/** John Hable's curve, with the figures of ffmpeg's `tonemap`. */
const hable = (x: number): number => (x * (0.15 * x + 0.05) + 0.004) / (x * (0.15 * x + 0.5) + 0.06) - 0.02 / 0.3;

/** Mapped colours in 8 bits of BT.709, for a source with a peak of `peak` cd/m². */
export function expectedSdr(transfer: Transfer, signal: Triple, peak: number, coding: Coding = 'limited'): Triple {
  const light = map(times(from2020, transfer.toLight(toRgb(luma2020, signal, 10, coding))), (nits) => nits / 100);
  const brightest = Math.max(...light, 1e-6);
  const factor = hable(brightest) / hable(peak / 100) / brightest;
  // An SDR screen shows the signal to the power of 2.4 (ITU-R BT.1886).
  const signal709 = map(light, (value) => Math.min(1, Math.max(0, value * factor)) ** (1 / 2.4));
  return toCode(luma709, signal709, 8);
}

/** Side of a patch in pixels. */
export const patchSide = 32;

/** Writes a raw film of three pictures with patches of these colours side by side. Returns ffmpeg's input arguments. */
export async function writePatches(
  path: string,
  patches: readonly Triple[],
  coding: Coding = 'limited',
): Promise<string[]> {
  const width = patchSide * patches.length;
  const plane = (component: number): Buffer => {
    const bytes = Buffer.alloc(width * patchSide * 2);
    for (let pixel = 0; pixel < width * patchSide; pixel += 1) {
      bytes.writeUInt16LE(patches[Math.floor((pixel % width) / patchSide)]?.[component] ?? 0, pixel * 2);
    }
    return bytes;
  };
  // gbrp stores green first.
  const picture = Buffer.concat((coding === 'rgb' ? [1, 2, 0] : [0, 1, 2]).map(plane));
  await writeFile(path, Buffer.concat([picture, picture, picture]));
  return [
    ...words('-f rawvideo -pix_fmt'),
    coding === 'rgb' ? 'gbrp10le' : 'yuv444p10le',
    '-s',
    `${width}x${patchSide}`,
    ...words('-r 25 -i'),
    path,
  ];
}

/** Y, Cb and Cr of the first picture at these places, in 8 bits of 4:4:4. */
export async function pixelsAt(path: string, places: readonly (readonly [number, number])[]): Promise<Triple[]> {
  const args = ['-v', 'error', '-i', path, '-frames:v', '1', '-vf', 'format=yuv444p', '-f', 'yuv4mpegpipe', '-'];
  const { stdout } = await execute('ffmpeg', ['-nostdin', ...args], { encoding: 'buffer', maxBuffer: 256 * 1024 ** 2 });
  const [, width = 0, height = 0] = (/W(\d+) H(\d+)/.exec(stdout.subarray(0, 100).toString('latin1')) ?? []).map(
    Number,
  );
  const start = stdout.indexOf('FRAME\n') + 6;
  return places.map(([x, y]) => {
    const at = (component: number): number => stdout[start + (component * height + y) * width + x] ?? NaN;
    return [at(0), at(1), at(2)];
  });
}
