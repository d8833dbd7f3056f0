import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Work } from '../../work.ts';
import { runPool, type PoolTask } from '../../pool.ts';
import type { EncodedFile, EncodeTarget } from '../../plan/encoded-file.ts';
import type { EncodeLimits } from '../../ffmpeg/limits.ts';
import { RawSamples } from '../../source/raw-samples.ts';
import { encodeBySingleRun } from '../single-run.ts';
import type { SplitPlan } from './plan.ts';
import { maxRawBytes, type SegmentedPlan, type SegmentedTrack } from './plan-encode.ts';
import type { SegmentedJob, SegmentInput } from './segment-encode.ts';
import { createSegmentTasks } from './segment-tasks.ts';
import { createSharedProgress, type SharedProgress } from './shared-progress.ts';

/** Estimated share of an encoder's time that decoding takes; used for progress only. */
const decodingShare = 0.15;

/** Encodes a job's outputs with several processes at a time. It removes all other files at its end. */
export async function encodeInSegments(
  sourcePath: string,
  targets: readonly EncodeTarget[],
  plan: SegmentedPlan,
  limits: EncodeLimits,
  { folder: jobFolder, signal, advance }: Work,
): Promise<EncodedFile[]> {
  const { tracks, sourceSeconds, fromSeconds = 0 } = plan;
  const folder = join(jobFolder, 'segments');
  await mkdir(folder, { mode: 0o700 });
  try {
    const jobs = new Map<number, SegmentedJob>();
    for (const [number, track] of tracks) {
      const input = await createInput(track, join(folder, `samples-${number}`));
      jobs.set(number, { source: track.source, input, limits, folder });
    }
    const progress = createSharedProgress(sourceSeconds - fromSeconds, (fraction, speed) =>
      advance('encode', fraction, speed),
    );
    const files: EncodedFile[] = [];
    const outputs = targets.map((target, index): Output => ({
      target,
      split: plan.splits[index],
      index,
      onEncoded: (file) => (files[index] = file),
    }));
    const tasks = [
      ...[...jobs].flatMap(([track, job]) => decodeTasks(job, neededSamples(plan, track), sourceSeconds, progress)),
      // Outputs that only one encoder can make start first.
      ...wholeTasks(sourcePath, limits, outputs, sourceSeconds, progress),
      ...segmentTasks(jobs, outputs, sourceSeconds, progress),
    ];
    await runPool(tasks, limits.encodeParallelism, signal);
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Output {
  target: EncodeTarget;
  split: SplitPlan | undefined;
  index: number;
  onEncoded(file: EncodedFile): void;
}

async function createInput({ source, entry }: SegmentedTrack, rawPath: string): Promise<SegmentInput> {
  if (entry.kind !== 'pcm') return entry;
  const raw = new RawSamples(rawPath, source, entry.shape, maxRawBytes);
  await raw.checkRoom();
  return { kind: 'pcm', raw };
}

/** Samples of a track that its segments need as raw samples: `Infinity` for all, 0 for none. */
function neededSamples({ splits }: SegmentedPlan, track: number): number {
  const ofTrack = splits.filter((split) => split.kind === 'split').filter(({ audio }) => audio.track === track);
  if (ofTrack.some(({ audio }) => audio.cut !== undefined)) return Infinity;
  // The first segment of a source is read from the source itself.
  const later = ofTrack.flatMap(({ segments }) => segments).filter(({ sourceFrom }) => sourceFrom > 0);
  return Math.max(0, ...later.map(({ sourceTo = Infinity }) => sourceTo));
}

function decodeTasks(
  { source, input, limits }: SegmentedJob,
  samples: number,
  sourceSeconds: number,
  progress: SharedProgress,
): PoolTask[] {
  if (input.kind !== 'pcm' || samples === 0) return [];
  const advance = progress.share(Math.min(sourceSeconds, samples / source.sampleRate) * decodingShare);
  const decode: PoolTask = async (signal) => {
    await input.raw.decode(limits, signal, (mediaSeconds) => advance(mediaSeconds * decodingShare), samples);
  };
  return [decode];
}

/** One process makes all outputs that are not split. */
function wholeTasks(
  sourcePath: string,
  limits: EncodeLimits,
  outputs: readonly Output[],
  sourceSeconds: number,
  progress: SharedProgress,
): PoolTask[] {
  const whole = outputs.filter(({ split }) => split?.kind === 'whole');
  if (whole.length === 0) return [];
  const targets = whole.map(({ target }) => target);
  const advance = progress.share(sourceSeconds);
  const run: PoolTask = async (signal) => {
    const files = await encodeBySingleRun(sourcePath, targets, limits, signal, advance);
    for (const [place, file] of files.entries()) whole[place]?.onEncoded(file);
  };
  return [run];
}

/** Segments of all outputs are ordered by their end in the source, so that what is decoded first is used first. */
function segmentTasks(
  jobs: ReadonlyMap<number, SegmentedJob>,
  outputs: readonly Output[],
  sourceSeconds: number,
  progress: SharedProgress,
): PoolTask[] {
  return outputs
    .flatMap(({ target, split, index, onEncoded }) => {
      const job = split?.kind === 'split' ? jobs.get(split.audio.track) : undefined;
      return split?.kind !== 'split' || job === undefined
        ? []
        : createSegmentTasks(job, index, target, split, onEncoded);
    })
    .map((task) => ({ ...task, toSeconds: task.toSeconds ?? sourceSeconds }))
    .sort((a, b) => a.toSeconds - b.toSeconds)
    .map(({ fromSeconds, toSeconds, run }): PoolTask => {
      const advance = progress.share(Math.max(0, toSeconds - fromSeconds));
      return async (signal) => await run(signal, advance);
    });
}
