import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeArguments } from '../arguments.ts';
import type { AudioPlan, OutputPlan } from '../output-plan.ts';
import { runFfmpeg, type FfmpegRun } from '../../ffmpeg/run.ts';
import type { EncodeLimits } from '../limits.ts';
import { sourceTooLong, type AudioSource } from '../source.ts';
import type { FinalStatistics } from '../../ffmpeg/statistics.ts';
import { decodeGuards } from '../../ffmpeg/guards.ts';
import type { JobContext } from '../../jobs/job.ts';
import { findEntry, type Entry } from './entry.ts';
import { frameCount } from './grid.ts';
import { CannotJoin } from './join/cannot-join.ts';
import { planSplit, type Segment, type SplitPlan } from './plan.ts';
import { runPool, type PoolTask } from './pool.ts';
import { GrowingFile } from './raw-samples.ts';
import { decodeOptions, firstRun, frameRun, rawRun, seekRun, type SegmentRun } from './segment-run.ts';
import { createSharedProgress } from './shared-progress.ts';
import { stitch } from './join/join.ts';
import type { Seams } from './join/joined.ts';

export interface WantedOutput {
  plan: OutputPlan;
  path: string;
}

/** The plan of the audio in an output that has some. */
export function audioIn({ format, audio }: OutputPlan): AudioPlan {
  if (audio === undefined) throw new TypeError(`The output ${format} has no audio`);
  return audio;
}

/** How an output was made. */
export interface MadeOutput {
  /** of sound that went into its encoder, each second once */
  seconds: number;
  segments: number;
  seams: Seams;
  /** frames of its codec at which segments meet */
  seamFrames: number[];
}

/** The raw samples of a source take no more of the scratch disk than this: 3 hours of stereo in floating point. Bytes. */
export const maxRawBytes = 4 * 1024 ** 3;

/** Of the free disk the raw samples may take this part: segments and outputs need room, too. */
const maxShareOfFreeDisk = 0.5;

const noSeams: Seams = { exact: 0, matched: 0 };

export type JobPlan =
  | { kind: 'single'; reason: string }
  | { kind: 'parallel'; entry: Exclude<Entry, { kind: 'none' }>; sourceSeconds: number; splits: SplitPlan[] };

/** Decides for all outputs of a job: where none gains by it, the single run is taken as it is. */
export async function planJob(
  source: AudioSource,
  outputs: readonly OutputPlan[],
  processes: number,
): Promise<JobPlan> {
  const sourceSeconds = source.estimatedSeconds;
  if (sourceSeconds === undefined) return { kind: 'single', reason: 'a source of unknown length' };
  const splits = outputs.map((plan) =>
    planSplit({ sampleRate: source.sampleRate, seconds: sourceSeconds }, audioIn(plan), processes),
  );
  const reasons = splits.flatMap((split) => (split.kind === 'whole' ? [split.reason] : []));
  if (reasons.length === splits.length) return { kind: 'single', reason: [...new Set(reasons)].join('; ') };
  const entry = await findEntry(source);
  if (entry.kind === 'none') return { kind: 'single', reason: entry.reason };
  if (entry.kind === 'pcm' && sourceSeconds * entry.bytesPerSecond > maxRawBytes) {
    return { kind: 'single', reason: 'too long to be kept as raw samples' };
  }
  return { kind: 'parallel', entry, sourceSeconds, splits };
}

async function checkRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bytes > bavail * bsize * maxShareOfFreeDisk) throw new CannotJoin('the scratch disk has no room for raw samples');
}

/** One job's outputs by several processes at a time. Its files besides the outputs are gone when it has ended. */
export async function encodeInParallel(
  source: AudioSource,
  outputs: readonly WantedOutput[],
  plan: Extract<JobPlan, { kind: 'parallel' }>,
  limits: EncodeLimits,
  job: JobContext,
): Promise<MadeOutput[]> {
  const folder = join(job.folder, 'segments');
  await mkdir(folder, { mode: 0o700 });
  try {
    return await new ParallelEncode(source, outputs, plan, limits, job, folder).run();
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

class ParallelEncode {
  readonly #source: AudioSource;
  readonly #outputs: readonly WantedOutput[];
  readonly #plan: Extract<JobPlan, { kind: 'parallel' }>;
  readonly #limits: EncodeLimits;
  readonly #job: JobContext;
  readonly #folder: string;
  readonly #raw: GrowingFile;
  readonly #progress;
  readonly #made: MadeOutput[] = [];

  constructor(
    source: AudioSource,
    outputs: readonly WantedOutput[],
    plan: Extract<JobPlan, { kind: 'parallel' }>,
    limits: EncodeLimits,
    job: JobContext,
    folder: string,
  ) {
    this.#source = source;
    this.#outputs = outputs;
    this.#plan = plan;
    this.#limits = limits;
    this.#job = job;
    this.#folder = folder;
    this.#raw = new GrowingFile(join(folder, 'samples'));
    this.#progress = createSharedProgress(plan.sourceSeconds, (fraction, speed) =>
      job.advance('encode', fraction, speed),
    );
  }

  async run(): Promise<MadeOutput[]> {
    const { entry, splits } = this.#plan;
    const tasks: PoolTask[] = [];
    if (entry.kind === 'pcm') {
      await checkRoom(this.#folder, this.#plan.sourceSeconds * entry.bytesPerSecond);
      tasks.push(this.#decodeTask(entry));
    }
    const whole = this.#outputs.flatMap((output, index) =>
      splits[index]?.kind === 'whole' ? [{ ...output, index }] : [],
    );
    // One encoder that nobody can help with: the sooner it begins the better.
    if (whole.length > 0) tasks.push(this.#wholeTask(whole));
    // By the place in the source, so that what the decoder has ready is taken first.
    tasks.push(
      ...splits
        .flatMap((split, index) => this.#segmentTasks(split, index))
        .sort(byPlace)
        .map(({ task }) => task),
    );
    await runPool(tasks, this.#limits.encodeParallelism, this.#job.signal);
    return this.#made;
  }

  #decodeTask(entry: Extract<Entry, { kind: 'pcm' }>): PoolTask {
    const advance = this.#progress.share(this.#plan.sourceSeconds * decodingShare);
    return async (signal) => {
      await this.#ffmpeg(
        {
          input: this.#source.path,
          inputOptions: decodeGuards,
          outputs: [{ path: this.#raw.path, options: decodeOptions(entry.rawFormat) }],
        },
        signal,
        0,
        (seconds) => {
          if (seconds * entry.bytesPerSecond > maxRawBytes) throw new CannotJoin('too long to be kept as raw samples');
          advance(seconds * decodingShare);
        },
      );
      this.#raw.close();
    };
  }

  /** The outputs that are not split, in one process as the single run has them. */
  #wholeTask(whole: readonly (WantedOutput & { index: number })[]): PoolTask {
    const advance = this.#progress.share(this.#plan.sourceSeconds);
    return async (signal) => {
      const { encodedSamples } = await this.#ffmpeg(
        {
          input: this.#source.path,
          inputOptions: decodeGuards,
          outputs: whole.map(({ plan, path }) => ({ path, options: encodeArguments(plan) })),
        },
        signal,
        0,
        advance,
      );
      for (const [place, { plan, index }] of whole.entries()) {
        const seconds = (encodedSamples.get(place) ?? 0) / audioIn(plan).sampleRate;
        this.#made[index] = { seconds, segments: 1, seams: noSeams, seamFrames: [] };
      }
    };
  }

  #segmentTasks(split: SplitPlan, index: number): { place: number; task: PoolTask }[] {
    const output = this.#outputs[index];
    if (split.kind === 'whole' || output === undefined) return [];
    const { grid, segments } = split;
    const { codec, sampleRate } = audioIn(output.plan);
    const rate = this.#source.sampleRate;
    const files = segments.map(({ cut, runIn }, segment) => ({
      path: join(this.#folder, `${index}-${segment}`),
      cut,
      runIn,
    }));
    let unfinished = segments.length;
    let totalSamples = 0;
    const finish = async (): Promise<void> => {
      const { frames, seams, seamFrames } = await stitch(codec, files, output.path);
      if (frames !== frameCount(grid, codec, totalSamples)) {
        throw new CannotJoin(`${frames} frames of ${totalSamples} samples`);
      }
      for (const { path } of files) await rm(path);
      this.#made[index] = {
        seconds: totalSamples / sampleRate,
        segments: segments.length,
        seams,
        seamFrames,
      };
    };
    return segments.map((segment, number) => {
      const path = files[number]?.path ?? '';
      const [from, to] = [segment.sourceFrom / rate, (segment.sourceTo ?? this.#plan.sourceSeconds * rate) / rate];
      const advance = this.#progress.share(Math.max(0, to - from));
      const task: PoolTask = async (signal) => {
        const samples = await this.#encodeSegment(segment, output.plan, path, signal, advance);
        if (segment.sourceTo === undefined) totalSamples = segment.outputFrom + samples;
        unfinished -= 1;
        if (unfinished === 0) await finish();
      };
      return { place: to, task };
    });
  }

  /** Answers how many samples went into the encoder. */
  async #encodeSegment(
    segment: Segment,
    plan: OutputPlan,
    path: string,
    signal: AbortSignal,
    advance: (seconds: number) => void,
  ): Promise<number> {
    const { input, inputOptions, outputOptions } = await this.#segmentRun(segment, plan, signal);
    const fromSeconds = segment.sourceFrom / this.#source.sampleRate;
    const statistics = await this.#ffmpeg(
      { input, inputOptions, outputs: [{ path, options: outputOptions }] },
      signal,
      fromSeconds,
      advance,
    );
    const samples = statistics.encodedSamples.get(0) ?? 0;
    const isAsPlanned = segment.outputSamples === undefined ? samples > 0 : samples === segment.outputSamples;
    if (!isAsPlanned) throw new CannotJoin(`a segment of ${samples} samples for ${segment.outputSamples}`);
    // Lost frames move everything after them, and a process that enters later knows nothing of those before it.
    if (this.#plan.entry.kind !== 'pcm' && statistics.undecodedPackets > 0) throw new CannotJoin('a damaged source');
    return samples;
  }

  async #segmentRun(segment: Segment, plan: OutputPlan, signal: AbortSignal): Promise<SegmentRun> {
    const { entry } = this.#plan;
    const { path, channels, sampleRate } = this.#source;
    if (segment.sourceFrom === 0) return firstRun(path, sampleRate, segment, plan);
    switch (entry.kind) {
      case 'seek':
        return seekRun(path, sampleRate, segment, plan);
      case 'frames':
        return frameRun(path, entry.frames, segment, plan);
      case 'pcm': {
        const sampleBytes = entry.bytesPerSecond / sampleRate;
        await this.#raw.untilWritten(
          segment.sourceTo === undefined ? undefined : segment.sourceTo * sampleBytes,
          signal,
        );
        const raw = { path: this.#raw.path, format: entry.rawFormat, channels, sampleRate, sampleBytes };
        return rawRun(raw, segment, plan);
      }
    }
  }

  async #ffmpeg(
    run: Pick<FfmpegRun, 'input' | 'inputOptions' | 'outputs'>,
    signal: AbortSignal,
    fromSeconds: number,
    advance: (seconds: number) => void,
  ): Promise<FinalStatistics> {
    const stop = new AbortController();
    const limits = this.#limits;
    return await runFfmpeg({
      ...run,
      limits,
      signal: AbortSignal.any([signal, stop.signal]),
      onProgress({ mediaSeconds }) {
        // A header may lie about hours of silence in kilobytes.
        if (fromSeconds + mediaSeconds > limits.maxSourceDurationSeconds) stop.abort(sourceTooLong(limits));
        try {
          advance(mediaSeconds);
        } catch (error) {
          stop.abort(error);
        }
      },
    });
  }
}

/** Decoding takes about so much of an encoder's time: for the progress only. */
const decodingShare = 0.15;

function byPlace(a: { place: number }, b: { place: number }): number {
  return a.place - b.place;
}
