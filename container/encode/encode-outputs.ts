import { rm } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';
import { encodeArguments } from './arguments.ts';
import type { OutputPlan } from './output-plan.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { EncodeLimits } from './limits.ts';
import { sourceTooLong, type AudioSource } from './source.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import type { JobContext } from '../jobs/job.ts';
import { errorFacts } from '../log.ts';
import { parallelCounters } from './segmented/counters.ts';
import { audioIn, encodeInParallel, planJob, type MadeOutput } from './segmented/encode.ts';

interface WantedOutput {
  plan: OutputPlan;
  path: string;
}

/** One decode of the source, one encoder for each output. */
async function encodeBySingleRun(
  source: AudioSource,
  outputs: readonly WantedOutput[],
  limits: EncodeLimits,
  job: JobContext,
): Promise<MadeOutput[]> {
  const overlong = new AbortController();
  const { encodedSamples } = await runFfmpeg({
    input: source.path,
    inputOptions: decodeGuards,
    outputs: outputs.map(({ plan, path }) => ({ path, options: encodeArguments(plan) })),
    limits,
    signal: AbortSignal.any([job.signal, overlong.signal]),
    onProgress({ mediaSeconds, speed }) {
      // A header may lie about hours of silence in kilobytes.
      if (mediaSeconds > limits.maxSourceDurationSeconds) overlong.abort(sourceTooLong(limits));
      const whole = source.estimatedSeconds;
      job.advance('encode', whole === undefined ? undefined : mediaSeconds / whole, speed);
    },
  });
  return outputs.map(({ plan }, index) => ({
    seconds: (encodedSamples.get(index) ?? 0) / audioIn(plan).sampleRate,
    segments: 1,
    seams: { exact: 0, matched: 0 },
    seamFrames: [],
  }));
}

/** What ends the job however it is encoded: nobody gains by a second try that hangs or runs on for too long again. */
function endsTheJob(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  if (error.code === 'ffmpeg_failed') return error.details?.['signal'] !== undefined;
  return error.code === 'stalled' || error.code === 'source_too_long';
}

/** Encodes on every core where that pays, else, and where anything is odd about it, by the single run. */
export async function encodeOutputs(
  source: AudioSource,
  outputs: readonly WantedOutput[],
  limits: EncodeLimits,
  job: JobContext,
): Promise<MadeOutput[]> {
  const plan = await planJob(
    source,
    outputs.map((output) => output.plan),
    limits.encodeParallelism,
  );
  if (plan.kind === 'single') {
    job.log.info({ reason: plan.reason }, 'Encoding by a single run');
    return await encodeBySingleRun(source, outputs, limits, job);
  }
  const segments = plan.splits.map((split) => (split.kind === 'split' ? split.segments.length : 1));
  const facts = { entry: plan.entry.kind, segments, processes: limits.encodeParallelism };
  job.log.info(facts, 'Encoding in segments side by side');
  parallelCounters.splitJobs += 1;
  try {
    return await encodeInParallel(source, outputs, plan, limits, job);
  } catch (error) {
    job.signal.throwIfAborted();
    if (endsTheJob(error)) throw error;
    parallelCounters.fallbacks += 1;
    const { fallbacks } = parallelCounters;
    job.log.warn(
      { ...errorFacts(error), ...facts, fallbacks },
      'Encoding in segments was given up; falling back to a single run',
    );
    for (const { path } of outputs) await rm(path, { force: true });
    return await encodeBySingleRun(source, outputs, limits, job);
  }
}
