import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const maxBuffer = 256 * 1024 ** 2;

/** ffmpeg's arguments out of one string. */
export const words = (text: string): string[] => text.split(' ');

/** Runs ffmpeg, as in `makeMedia(folder, 'a.mp3', '-i', source, '-b:a', '128k')`, and returns the path of the new file. */
export async function makeMedia(folder: string, name: string, ...args: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await execute('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, path]);
  return path;
}

/** Samples of a file, mixed to mono at this rate. */
export async function samplesOf(path: string, sampleRate: number): Promise<Int16Array> {
  const args = ['-v', 'error', '-i', path, '-map', '0:a:0', '-af', 'aresample=async=1', '-ac', '1'];
  const { stdout } = await execute('ffmpeg', [...args, '-ar', String(sampleRate), '-f', 's16le', '-'], {
    encoding: 'buffer',
    maxBuffer,
  });
  return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
}

/** MD5 of the samples of a file. */
export async function pcmDigest(path: string, format: 's16le' | 's24le' | 's32le'): Promise<string> {
  const { stdout } = await execute(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:a:0', '-c:a', `pcm_${format}`, '-f', 'md5', '-'],
    { maxBuffer },
  );
  return stdout.trim();
}

export async function probe(path: string, ...args: readonly string[]): Promise<unknown> {
  const { stdout } = await execute('ffprobe', ['-v', 'error', '-of', 'json', ...args, path], { maxBuffer });
  return JSON.parse(stdout);
}

export async function pixelsOf(path: string, format: 'gray' | 'rgba', track = 0): Promise<Buffer> {
  const args = ['-v', 'error', '-i', path, '-map', `0:v:${track}`, '-f', 'rawvideo', '-pix_fmt', format, '-'];
  const { stdout } = await execute('ffmpeg', args, { encoding: 'buffer', maxBuffer });
  return stdout;
}

export async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** Samples that are enough to find a place. */
const enoughSamples = 12_000;

/**
 * Seconds by which `part` lies later in `whole` than at `start`, found by cross-correlation up to `reach` seconds
 * either way, and the normalised height of the peak (1: the same sound).
 */
export function placement(
  part: Int16Array,
  whole: Int16Array,
  start: number,
  sampleRate: number,
  reach = 0.2,
): { lag: number; likeness: number } {
  // A decoder may need the first samples to settle.
  const from = Math.round(Math.min(0.4, part.length / sampleRate / 4) * sampleRate);
  const length = Math.min(Math.round(1.5 * sampleRate), part.length - from);
  const likenessAt = (lag: number, samples: number): number => {
    const offset = Math.round(start * sampleRate) + from + lag;
    let [product, ownPower, wholePower] = [0, 0, 0];
    // Every other sample is enough.
    for (let index = 0; index < samples; index += 2) {
      const own = part[from + index] ?? 0;
      const other = whole[offset + index] ?? 0;
      product += own * other;
      ownPower += own * own;
      wholePower += other * other;
    }
    return product / Math.sqrt(Math.max(1, ownPower * wholePower));
  };
  const reachSamples = Math.round(reach * sampleRate);
  let best = { lag: Number.NaN, likeness: -1 };
  for (let lag = -reachSamples; lag <= reachSamples; lag += 1) {
    const likeness = likenessAt(lag, Math.min(length, enoughSamples));
    if (likeness > best.likeness) best = { lag, likeness };
  }
  return { lag: best.lag / sampleRate, likeness: likenessAt(best.lag, length) };
}

/** Samples as plain ffmpeg decodes them, channels interleaved; full scale is 1 in floating point. */
export async function rawSamplesOf(path: string, format: 's16le', ...options: string[]): Promise<Int16Array>;
export async function rawSamplesOf(path: string, format: 'f32le', ...options: string[]): Promise<Float32Array>;
export async function rawSamplesOf(
  path: string,
  format: 's16le' | 'f32le',
  ...options: string[]
): Promise<Int16Array | Float32Array> {
  const args = ['-v', 'error', '-i', path, ...options, '-c:a', `pcm_${format}`, '-f', format, '-'];
  const { stdout } = await execute('ffmpeg', args, { encoding: 'buffer', maxBuffer });
  const bytes = new Uint8Array(stdout).buffer;
  return format === 's16le' ? new Int16Array(bytes) : new Float32Array(bytes);
}
