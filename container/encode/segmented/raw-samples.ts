import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeGuards } from '../../ffmpeg/guards.ts';
import { runWithinLimits } from '../limited-run.ts';
import type { RunLimits } from '../limits.ts';
import type { AudioSource } from '../source.ts';
import type { PcmEntry } from './entry.ts';
import { CannotJoin } from './join/cannot-join.ts';
import { maxRawBytes, tooLongForRawSamples } from './plan-encode.ts';
import { decodeOptions, rawArguments, type SegmentArguments } from './segment-arguments.ts';
import type { Segment } from './plan.ts';
import type { OutputPlan } from '../output-plan.ts';

/** How often a segment that waits for its samples looks at the size of the file. Milliseconds. */
const pollIntervalMs = 50;

/** Of the free disk the raw samples may take this share: segments and outputs need room, too. */
const maxShareOfFreeDisk = 0.5;

/** A source that is decoded once into a file of raw samples. Segments read it while it is written. */
export class RawSamples {
  readonly #path: string;
  readonly #source: AudioSource;
  readonly #entry: PcmEntry;
  #isWhole = false;

  constructor(path: string, source: AudioSource, entry: PcmEntry) {
    this.#path = path;
    this.#source = source;
    this.#entry = entry;
  }

  /** Throws where the scratch disk has no room for so many seconds. */
  async checkRoom(seconds: number): Promise<void> {
    const { bavail, bsize } = await statfs(dirname(this.#path));
    const bytes = seconds * this.#entry.bytesPerSecond;
    if (bytes > bavail * bsize * maxShareOfFreeDisk) {
      throw new CannotJoin('the scratch disk has no room for raw samples');
    }
  }

  async decode(limits: RunLimits, signal: AbortSignal, onAdvance: (mediaSeconds: number) => void): Promise<void> {
    const { rawFormat, bytesPerSecond } = this.#entry;
    const run = {
      input: this.#source.path,
      inputOptions: decodeGuards,
      outputs: [{ path: this.#path, options: decodeOptions(rawFormat) }],
    };
    await runWithinLimits(run, limits, signal, (mediaSeconds) => {
      if (mediaSeconds * bytesPerSecond > maxRawBytes) throw new CannotJoin(tooLongForRawSamples);
      onAdvance(mediaSeconds);
    });
    this.#isWhole = true;
  }

  /** ffmpeg's arguments for a segment, as soon as its samples are there. */
  async segmentArguments(segment: Segment, plan: OutputPlan, signal: AbortSignal): Promise<SegmentArguments> {
    const { channels, sampleRate } = this.#source;
    const sampleBytes = this.#entry.bytesPerSecond / sampleRate;
    await this.#waitFor(segment.sourceTo === undefined ? undefined : segment.sourceTo * sampleBytes, signal);
    const raw = { path: this.#path, format: this.#entry.rawFormat, channels, sampleRate, sampleBytes };
    return rawArguments(raw, segment, plan);
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
