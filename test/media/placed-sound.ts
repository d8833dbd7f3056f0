import { spawn } from 'node:child_process';

/** Sound on its file's clock, mixed to one channel. Each decoded frame is at the time that the file states for it. */
export interface PlacedSound {
  samples: Float32Array;
  /** Hz */
  rate: number;
  /** Seconds on the file's clock of the first sample. */
  start: number;
}

interface Frame {
  start: number;
  rate: number;
  count: number;
}

/** The frames that plain ffmpeg decodes, with the time and the length that the filter `ashowinfo` reports. */
function parseFrames(said: string): Frame[] {
  const line = /Parsed_ashowinfo.* n:\d+ pts:(-?\d+) .* rate:(\d+) nb_samples:(\d+) /g;
  return [...said.matchAll(line)].map(([, pts, rate, count]) => ({
    start: Number(pts) / Number(rate),
    rate: Number(rate),
    count: Number(count),
  }));
}

/**
 * Decodes with plain ffmpeg and puts each frame at its own time. Nothing fills gaps or drops overlaps: gaps stay silent,
 * and a later frame overwrites an earlier one. Undefined without sound.
 */
export async function placedSound(path: string, stream = 0): Promise<PlacedSound | undefined> {
  const filter = 'aformat=sample_fmts=flt:channel_layouts=mono,ashowinfo';
  const args = ['-copyts', '-i', path, '-map', `0:a:${stream}?`, '-af', filter, '-f', 'f32le', '-'];
  const child = spawn('ffmpeg', ['-nostdin', '-hide_banner', '-v', 'info', '-nostats', ...args]);
  const [data, said]: [Buffer[], string[]] = [[], []];
  child.stdout.on('data', (bytes: Buffer) => data.push(bytes));
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const frames = parseFrames(said.join(''));
  const [first] = frames;
  if (first === undefined) return undefined;
  const { rate } = first;
  const start = frames.reduce((earliest, frame) => Math.min(earliest, frame.start), Infinity);
  const end = frames.reduce((latest, frame) => Math.max(latest, frame.start + frame.count / frame.rate), start);
  const samples = new Float32Array(Math.round((end - start) * rate) + 1);
  const decoded = new Float32Array(new Uint8Array(Buffer.concat(data)).buffer);
  let from = 0;
  for (const frame of frames) {
    const place = Math.round((frame.start - start) * rate);
    // Another rate, as in joined files, is not needed here.
    samples.set(decoded.subarray(from, from + frame.count).subarray(0, samples.length - place), place);
    from += frame.count;
  }
  return { samples, rate, start };
}

/** Value at a time, between two samples. */
function valueAt({ samples, rate, start }: PlacedSound, seconds: number): number {
  const place = (seconds - start) * rate;
  const before = Math.floor(place);
  const [one = 0, other = 0] = [samples[before], samples[before + 1]];
  return one + (other - one) * (place - before);
}

export interface Lag {
  /** Place in the sound, in seconds on its own clock. */
  at: number;
  /** Seconds by which the sound is later than wanted. */
  lag: number;
  /** 1 for the same sound, 0 for a different one. */
  likeness: number;
}

interface Search {
  /** Seconds from the start of `made` to the start of `wanted`. */
  offset?: number;
  /** Seconds of the compared part. */
  window?: number;
  /** Seconds by which a place may be off at most. */
  reach?: number;
}

/** Hz; finds a place to a sixteenth of a millisecond. */
const searchRate = 16_000;

/** Finds the part of `made` at `at` in `wanted`. Undefined if the part is silent. */
export function lagAt(
  made: PlacedSound,
  wanted: PlacedSound,
  at: number,
  { offset = 0, window = 0.06, reach = 0.2 }: Search = {},
): Lag | undefined {
  const [length, most] = [Math.round(window * searchRate), Math.round(reach * searchRate)];
  const part = Float64Array.from({ length }, (_, index) => valueAt(made, at + index / searchRate));
  const power = part.reduce((sum, value) => sum + value * value, 0);
  if (power / length < 1e-6) return undefined;
  const from = at + offset - reach;
  const around = Float64Array.from({ length: length + 2 * most }, (_, index) =>
    valueAt(wanted, from + index / searchRate),
  );
  let best = { at, lag: 0, likeness: -1 };
  for (let shift = 0; shift <= 2 * most; shift += 1) {
    let [product, other] = [0, 0];
    for (let index = 0; index < length; index += 1) {
      const value = around[shift + index] ?? 0;
      const own = part[index] ?? 0;
      product += value * own;
      // Silence that fills a gap is no content.
      if (own !== 0) other += value * value;
    }
    const likeness = product / Math.sqrt(Math.max(1e-12, power * other));
    if (likeness > best.likeness) best = { at, lag: (most - shift) / searchRate, likeness };
  }
  return best;
}

/** Compares two sounds at points that are spread over the first. Silent points are absent. */
export function lagsOf(
  made: PlacedSound,
  wanted: PlacedSound,
  { points = 20, ...search }: Search & { points?: number } = {},
): Lag[] {
  const seconds = made.samples.length / made.rate;
  return Array.from({ length: points }, (_, index) => made.start + (seconds * (index + 0.5)) / points).flatMap(
    (at) => lagAt(made, wanted, at, search) ?? [],
  );
}
