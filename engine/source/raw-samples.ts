import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MediaError } from '../media-error.ts';
import { gapFilter } from '../ffmpeg/gap-filter.ts';
import { decodeGuards, partGuards } from '../ffmpeg/guards.ts';
import { subfileUrl } from '../ffmpeg/subfile.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import type { FfmpegOutput, FfmpegRun } from '../ffmpeg/run.ts';
import type { Work } from '../work.ts';
import type { AudioSource } from './source.ts';

/** ffmpeg's raw demuxers and their `pcm_` decoders, by the decoder's output format. Samples pass unchanged. */
const rawFormats = {
  u8: { name: 'u8', bytes: 1 },
  s16: { name: 's16le', bytes: 2 },
  s32: { name: 's32le', bytes: 4 },
  flt: { name: 'f32le', bytes: 4 },
  dbl: { name: 'f64le', bytes: 8 },
} as const;

/** Layout of samples in a file without a header. */
export interface RawShape {
  format: (typeof rawFormats)[keyof typeof rawFormats]['name'];
  channels: number;
  /** ffmpeg's name, such as `5.1(side)`, because samples do not state their speakers. */
  channelLayout: string | undefined;
  /** Hz. */
  sampleRate: number;
  /** Bytes of one sample of all channels. */
  sampleBytes: number;
}

export type RawSource = Pick<AudioSource, 'sampleFormat' | 'channels' | 'channelLayout' | 'sampleRate'>;

/** Undefined for an unusual sample format. `sampleFormat` is ffmpeg's name; by default, the decoder's output. */
export function rawShapeOf(source: RawSource, sampleFormat = source.sampleFormat): RawShape | undefined {
  const { channels, channelLayout, sampleRate } = source;
  const raw = Object.entries(rawFormats).find(([name]) => sampleFormat?.replace(/p$/, '') === name)?.[1];
  if (raw === undefined) return undefined;
  return { format: raw.name, channels, channelLayout, sampleRate, sampleBytes: raw.bytes * channels };
}

/** Share of the free disk that raw samples may take; what is made of them needs space too. */
const maxShareOfFreeDisk = 0.5;

/** Seconds after the last wanted sample at which reading may stop. */
export const readMarginSeconds = 1;

/** Milliseconds between checks of the file's size by those waiting for samples. */
const pollIntervalMs = 50;

/** Bytes that a file at `path` may take now. */
export async function scratchRoom(path: string, maxBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path));
  return Math.min(bavail * bsize * maxShareOfFreeDisk, maxBytes);
}

export function noRoom(bytes: number): MediaError {
  return new MediaError(
    'disk_full',
    `The decoded source takes more than the ${(bytes / 1e9).toFixed(1)} GB that are free for it on the scratch disk of the encoding service. Please retry later.`,
  );
}

/** Bytes per second of a source's samples, as they are decoded to a file. */
export function bytesPerSecondOf(source: RawSource): number {
  return (rawShapeOf(source)?.sampleBytes ?? 4 * source.channels) * source.sampleRate;
}

/** Decodes to a file within the room on its disk. Returns the samples per channel of the first stream. */
export async function decodeToDisk(
  { path, options, ...inputs }: Pick<FfmpegRun, 'input' | 'inputOptions' | 'furtherInputs'> & FfmpegOutput,
  bytesPerSecond: number,
  limits: RunLimits,
  job: Work,
): Promise<number> {
  const room = await scratchRoom(path, limits.maxOutputBytes);
  const run = { ...inputs, outputs: [{ path, options }] };
  const { encodedSamples } = await runWithinLimits(run, limits, job.signal, (mediaSeconds) => {
    if (mediaSeconds * bytesPerSecond > room) throw noRoom(room);
    job.advance('probe', undefined);
  });
  return encodedSamples.get(0) ?? 0;
}

/**
 * Most inputs of one join. The filters of each have some 1,000 characters, and an argument of a process at most 128
 * KiB.
 */
export const mostInputs = 100;

/**
 * Output options that join filter chains whose labels are their numbers. Apple's Core Audio Format keeps samples of every
 * kind with their layout and allows exact seeking.
 */
export function concatOptions(chains: readonly string[], source: RawSource): string[] {
  const format = rawShapeOf(source)?.format ?? 'f32le';
  const labels = chains.map((_, index) => `[${index}]`).join('');
  return [
    ...['-filter_complex', `${chains.join(';')};${labels}concat=n=${chains.length}:v=0:a=1[joined]`],
    ...['-map', '[joined]'],
    ...['-c:a', `pcm_${format === 'u8' ? 's16le' : format}`, '-f', 'caf'],
  ];
}

/** Input of ffmpeg with its options. */
export interface RawPart {
  input: string;
  inputOptions: string[];
}

/** A source that is decoded once into a file of raw samples. Its parts can be read while it is being written. */
export class RawSamples {
  readonly #path: string;
  readonly #source: AudioSource;
  readonly #shape: RawShape;
  readonly #maxBytes: number;
  #isWhole = false;
  #isMended = false;

  /** The file at `path` never exceeds `maxBytes`. */
  constructor(path: string, source: AudioSource, shape: RawShape, maxBytes: number) {
    this.#path = path;
    this.#source = source;
    this.#shape = shape;
    this.#maxBytes = maxBytes;
  }

  /** Bytes that it may take now. Throws if the source is known to need more. */
  async checkRoom(): Promise<number> {
    const room = await scratchRoom(this.#path, this.#maxBytes);
    const { estimatedSeconds = 0, estimateIsGuess } = this.#source;
    if (estimateIsGuess !== true && estimatedSeconds * this.#bytesPerSecond > room) throw noRoom(room);
    return room;
  }

  /**
   * Decodes the source once, with gaps filled as for every encoder, and at least up to sample `to`. Returns the samples
   * per channel.
   */
  async decode(
    limits: RunLimits,
    signal: AbortSignal,
    onAdvance: (mediaSeconds: number) => void,
    to = Infinity,
  ): Promise<number> {
    const { format, sampleRate } = this.#shape;
    const end = to === Infinity ? [] : ['-t', (to / sampleRate + readMarginSeconds).toFixed(6)];
    const room = await this.checkRoom();
    const run = {
      input: this.#source.path,
      inputOptions: [...decodeGuards, ...end],
      outputs: [
        {
          path: this.#path,
          options: [
            '-map',
            `0:a:${this.#source.track}`,
            '-af',
            gapFilter(this.#source),
            '-c:a',
            `pcm_${format}`,
            '-f',
            format,
          ],
        },
      ],
    };
    const { encodedSamples, mendedSamples } = await runWithinLimits(run, limits, signal, (mediaSeconds) => {
      if (mediaSeconds * this.#bytesPerSecond > room) throw noRoom(room);
      onAdvance(mediaSeconds);
    });
    this.#isMended = mendedSamples > 0;
    this.#isWhole = true;
    return encodedSamples.get(0) ?? 0;
  }

  /** Returns samples `from` to `to` (exclusive; undefined: to the end) as soon as they are written. */
  async part(from: number, to: number | undefined, signal: AbortSignal): Promise<RawPart> {
    const { format, channels, channelLayout, sampleRate, sampleBytes } = this.#shape;
    await this.#waitFor(to === undefined ? undefined : to * sampleBytes, signal);
    return {
      input: subfileUrl(this.#path, from * sampleBytes, (to ?? 0) * sampleBytes),
      inputOptions: [
        ...partGuards(format, `pcm_${format}`),
        ...['-ar', String(sampleRate)],
        ...(channelLayout === undefined ? ['-ac', String(channels)] : ['-ch_layout', channelLayout]),
      ],
    };
  }

  /** True if gaps were filled or overlaps dropped; known after `decode`. */
  get isMended(): boolean {
    return this.#isMended;
  }

  get #bytesPerSecond(): number {
    return this.#shape.sampleBytes * this.#shape.sampleRate;
  }

  /** Waits for the first `bytes`, or for the end of the file if it comes earlier; undefined: for the end. */
  async #waitFor(bytes: number | undefined, signal: AbortSignal): Promise<void> {
    const isWritten = async (): Promise<boolean> =>
      this.#isWhole || (bytes !== undefined && (await this.#size()) >= bytes);
    while (!(await isWritten())) await delay(pollIntervalMs, undefined, { signal });
  }

  async #size(): Promise<number> {
    // The file does not exist before the decoder has started.
    return (await stat(this.#path).catch(() => undefined))?.size ?? 0;
  }
}
