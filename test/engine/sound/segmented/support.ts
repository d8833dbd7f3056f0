import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { encodeArguments } from '../../../../engine/sound/arguments.ts';
import { countWhereNeeded } from '../../../../engine/source/count-samples.ts';
import { planOutput } from '../../../../engine/products/file/plan-output.ts';
import { audioOf, openSource, type AudioSource } from '../../../../engine/source/source.ts';
import type { JobContext } from '../../../../container/jobs/job.ts';
import { createLog } from '../../../../process/log.ts';
import type { EncodedFile } from '../../../../engine/plan/encoded-file.ts';
import { findEntry } from '../../../../engine/sound/segmented/entry.ts';
import { createFrameGrid } from '../../../../engine/sound/segmented/grid.ts';
import { joinableCodecs } from '../../../../engine/sound/segmented/joinable-codecs.ts';
import { layOutSegments } from '../../../../engine/sound/segmented/plan.ts';
import { encodeInSegments } from '../../../../engine/sound/segmented/run.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { run } from '../../../support/process.ts';
import type { AudioPlan } from '../../../../engine/plan/audio-plan.ts';
import type { OutputPlan } from '../../../../engine/plan/planned-output.ts';
import { settleFile } from '../../../support/settled-outputs.ts';

export const limits = {
  stallTimeoutSeconds: 60,
  maxOutputBytes: 1e9,
  maxCpuSeconds: 3600,
  writableFolder: tmpdir(),
  maxSourceDurationSeconds: 24 * 3600,
  maxSourceStreams: 64,
  encodeParallelism: 2,
};

export function jobIn(folder: string): JobContext {
  const { signal } = new AbortController();
  const log = createLog('test', 'silent');
  return { jobId: 'test', folder, fetchedFolder: folder, signal, log, advance: () => {}, openDelivery: () => {} };
}

/** A folder that is removed after `action`. */
export async function inFolder<Result>(action: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-segmented-'));
  try {
    return await action(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function prepare(
  input: string,
  request: DescribedOutput,
): Promise<{ source: AudioSource; plan: OutputPlan }> {
  const job = jobIn(dirname(input));
  const settings = settleFile(request);
  const source = await countWhereNeeded(await openSource(input, limits, job.signal), [settings], limits, job);
  const plan = planOutput(settings, source);
  return { source: source.tracks[audioIn(plan).track] ?? audioOf(source, 'A test'), plan };
}

/** File made by one ffmpeg with the container's own options. */
export async function singleRun(input: string, plan: OutputPlan, path: string): Promise<void> {
  const options = ['-nostdin', '-v', 'error', '-i', input, ...encodeArguments(plan), path];
  const { code, output } = await run('ffmpeg', options);
  if (code !== 0) throw new Error(output);
}

export function audioIn({ label, audio }: OutputPlan): AudioPlan {
  if (audio === undefined) throw new TypeError(`The output ${label} has no audio`);
  return audio;
}

/** The same in `count` segments, however short they are. `random` (0 to 1) moves each cut. */
export async function segmentedRun(
  source: AudioSource,
  plan: OutputPlan,
  count: number,
  random: () => number,
  job: JobContext,
  path: string,
): Promise<{ file: EncodedFile | undefined; cuts: number[]; entry: string }> {
  const entry = await findEntry(source);
  const audio = audioIn(plan);
  const codec = joinableCodecs[audio.codec];
  const grid = codec && createFrameGrid(codec, audio, source.sampleRate);
  const sourceSeconds = source.estimatedSeconds ?? 0;
  const seconds = audio.cut === undefined ? sourceSeconds : audio.cut.keptSamples / audio.cut.sampleRate;
  if (entry.kind === 'none' || codec === undefined || grid === undefined) throw new Error('this cannot be split');
  const steps = (seconds * grid.outputRate) / grid.frameSamples / grid.step;
  const cuts = Array.from({ length: count }, (_, index) =>
    index === 0 ? 0 : Math.round((steps * (index + random() * 0.6 - 0.3)) / count) * grid.step,
  );
  const splits = [{ kind: 'split' as const, audio, codec, grid, segments: layOutSegments(cuts, grid, codec) }];
  const tracks = new Map([[source.track, { source, entry }]]);
  const encodePlan = { kind: 'segmented' as const, tracks, sourceSeconds, splits };
  const [file] = await encodeInSegments(source.path, [{ plan, path }], encodePlan, limits, job);
  return { file, cuts, entry: entry.kind };
}
