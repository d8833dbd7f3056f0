import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MediaError } from '../media-error.ts';
import { gapFilter } from '../ffmpeg/gap-filter.ts';
import { decodeGuards, partGuards } from '../ffmpeg/guards.ts';
import { subfileUrl } from '../ffmpeg/subfile.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import type { AudioSource } from './source.ts';

/** ffmpeg's raw demuxers and their `pcm_` decoders, by what a decoder puts out: no sample changes on the way. */
const rawFormats = {
  u8: { name: 'u8', bytes: 1 },
  s16: { name: 's16le', bytes: 2 },
  s32: { name: 's32le', bytes: 4 },
  flt: { name: 'f32le', bytes: 4 },
  dbl: { name: 'f64le', bytes: 8 },
} as const;

/** How samples lie in a file that has nothing else in it. */
export interface RawShape {
  format: (typeof rawFormats)[keyof typeof rawFormats]['name'];
  channels: number;
  /** ffmpeg's name, such as `5.1(side)`: the samples do not say which speaker they are for */
  channelLayout: string | undefined;
  /** Hz */
  sampleRate: number;
  /** bytes of one sample of all channels */
  sampleBytes: number;
}

export type RawSource = Pick<AudioSource, 'sampleFormat' | 'channels' | 'channelLayout' | 'sampleRate'>;

/** Undefined for samples of an unusual format. `sampleFormat` is ffmpeg's name; else as they come out of the decoder. */
export function rawShapeOf(source: RawSource, sampleFormat = source.sampleFormat): RawShape | undefined {
  const { channels, channelLayout, sampleRate } = source;
  const raw = Object.entries(rawFormats).find(([name]) => sampleFormat?.replace(/p$/, '') === name)?.[1];
  if (raw === undefined) return undefined;
  return { format: raw.name, channels, channelLayout, sampleRate, sampleBytes: raw.bytes * channels };
}

/** Of the free disk raw samples may take this share: what is made of them needs room, too. */
const maxShareOfFreeDisk = 0.5;

/** How often who waits for samples looks at the size of the file. Milliseconds. */
const pollIntervalMs = 50;

/** Bytes that a file at `path` may take now. */
export async function scratchRoom(path: string, maxBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path));
  return Math.min(bavail * bsize * maxShareOfFreeDisk, maxBytes);
}

export function noRoom(bytes: number): MediaError {
  return new MediaError(
    'disk_full',
    `Decoded, the source takes more than the ${(bytes / 1e9).toFixed(1)} GB that the encoding service has for it on its scratch disk. Please retry later.`,
  );
}

/** What ffmpeg reads, and how. */
export interface RawPart {
  input: string;
  inputOptions: string[];
}

/** A source that is decoded once into a file of raw samples. Its parts may be read while it is written. */
export class RawSamples {
  readonly #path: string;
  readonly #source: AudioSource;
  readonly #shape: RawShape;
  readonly #maxBytes: number;
  #isWhole = false;

  /** At `path` there will be no more than `maxBytes`. */
  constructor(path: string, source: AudioSource, shape: RawShape, maxBytes: number) {
    this.#path = path;
    this.#source = source;
    this.#shape = shape;
    this.#maxBytes = maxBytes;
  }

  /** Bytes that it may take now. Throws where the source is known to need more. */
  async checkRoom(): Promise<number> {
    const room = await scratchRoom(this.#path, this.#maxBytes);
    if ((this.#source.estimatedSeconds ?? 0) * this.#bytesPerSecond > room) throw noRoom(room);
    return room;
  }

  /** The one decode, holes in the source's time filled as for every encoder. Answers the samples of each channel. */
  async decode(limits: RunLimits, signal: AbortSignal, onAdvance: (mediaSeconds: number) => void): Promise<number> {
    const { format } = this.#shape;
    const room = await this.checkRoom();
    const run = {
      input: this.#source.path,
      inputOptions: decodeGuards,
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
    const { encodedSamples } = await runWithinLimits(run, limits, signal, (mediaSeconds) => {
      if (mediaSeconds * this.#bytesPerSecond > room) throw noRoom(room);
      onAdvance(mediaSeconds);
    });
    this.#isWhole = true;
    return encodedSamples.get(0) ?? 0;
  }

  /** Samples `from` to before `to` (undefined: to the end), as soon as they are there. */
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

  get #bytesPerSecond(): number {
    return this.#shape.sampleBytes * this.#shape.sampleRate;
  }

  /** Waits until the first `bytes` are there, or all that there ever will be; undefined: all. */
  async #waitFor(bytes: number | undefined, signal: AbortSignal): Promise<void> {
    const isWritten = async (): Promise<boolean> =>
      this.#isWhole || (bytes !== undefined && (await this.#size()) >= bytes);
    while (!(await isWritten())) await delay(pollIntervalMs, undefined, { signal });
  }

  async #size(): Promise<number> {
    // The file is not there before the decoder has begun.
    return (await stat(this.#path).catch(() => undefined))?.size ?? 0;
  }
}
