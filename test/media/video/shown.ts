import { spawn } from 'node:child_process';

/** Small pictures suffice to recognise and compare. */
export const shownWidth = 64;
export const shownHeight = 36;
const bytesEach = shownWidth * shownHeight * 3;

export interface ShownPicture {
  /** Seconds on the file's clock. */
  time: number;
  /** Red, green and blue bytes. */
  pixels: Buffer;
  /** Width divided by height as players show it. */
  aspect: number;
}

async function decode(args: readonly string[]): Promise<{ data: Buffer; said: string; code: number | null }> {
  const child = spawn('ffmpeg', ['-nostdin', '-hide_banner', '-v', 'info', '-nostats', ...args]);
  const [data, said]: [Buffer[], string[]] = [[], []];
  child.stdout.on('data', (bytes: Buffer) => data.push(bytes));
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { data: Buffer.concat(data), said: said.join(''), code };
}

/** All pictures that plain ffmpeg decodes, with their display times. */
export async function shownPictures(
  path: string,
  filters: readonly string[] = [],
  inputOptions: readonly string[] = [],
): Promise<ShownPicture[]> {
  const small = `scale=${shownWidth}:${shownHeight}:flags=area,format=rgb24`;
  const graph = [...filters, 'showinfo', small].join(',');
  const { data, said } = await decode([
    ...['-copyts', ...inputOptions, '-i', path, '-map', '0:V:0', '-vf', graph, '-fps_mode', 'passthrough'],
    ...['-f', 'rawvideo', '-'],
  ]);
  // `pts_time` has six digits, which are too few after the first second.
  const [, num = 0, den = 1] = /config in time_base: (\d+)\/(\d+)/.exec(said) ?? [];
  const facts = /Parsed_showinfo.* n: *\d+ pts: *(\S+) pts_time.* sar:(\d+)\/(\d+) s:(\d+)x(\d+)/g;
  const lines = [...said.matchAll(facts)].map(([, ...figures]) => figures.map(Number));
  const count = Math.floor(data.length / bytesEach);
  return Array.from({ length: count }, (_, index) => {
    const [ticks = NaN, wide = 1, high = 1, width = NaN, height = NaN] = lines[index] ?? [];
    return {
      time: (ticks * Number(num)) / Number(den),
      pixels: data.subarray(index * bytesEach, (index + 1) * bytesEach),
      // 0 stands for an unknown pixel aspect.
      aspect: ((wide === 0 ? 1 : wide / high) * width) / height,
    };
  });
}

/** dB between two pictures; 99 for equal ones. */
export function likeness(one: Buffer, other: Buffer): number {
  let squares = 0;
  for (let index = 0; index < one.length; index += 1) squares += ((one[index] ?? 0) - (other[index] ?? 0)) ** 2;
  return squares === 0 ? 99 : 10 * Math.log10((255 ** 2 * one.length) / squares);
}

export function isWhite({ pixels }: ShownPicture): boolean {
  return pixels.reduce((sum, value) => sum + value, 0) / pixels.length > 215;
}

const rate = 48_000;

export interface HeardSound {
  /** Start of each clap in seconds on the file's clock. */
  claps: number[];
  start: number;
  end: number;
}

/** Claps in the sound that plain ffmpeg decodes; undefined without sound. */
export async function heardSound(
  path: string,
  stream = 0,
  inputOptions: readonly string[] = [],
): Promise<HeardSound | undefined> {
  const filter = `aresample=${rate}:async=1,aformat=sample_fmts=s16:channel_layouts=mono,ashowinfo`;
  const { data, said } = await decode([
    '-copyts',
    ...inputOptions,
    '-i',
    path,
    '-map',
    `0:a:${stream}?`,
    '-af',
    filter,
    '-f',
    's16le',
    '-',
  ]);
  const first = /Parsed_ashowinfo.* n:0 pts:(\S+) pts_time/.exec(said)?.[1];
  if (first === undefined) return undefined;
  const start = Number(first) / rate;
  const samples = new Int16Array(data.buffer, data.byteOffset, data.length >> 1);
  const claps: number[] = [];
  let silentUntil = 0;
  for (const [index, sample] of samples.entries()) {
    if (Math.abs(sample) < 7000) continue;
    if (index >= silentUntil) claps.push(start + index / rate);
    silentUntil = index + rate / 4;
  }
  return { claps, start, end: start + samples.length / rate };
}
