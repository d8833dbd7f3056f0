import { rm } from 'node:fs/promises';
import { endsTheJob } from '../ends-the-job.ts';
import type { Work } from '../work.ts';
import { errorFacts } from '../../tracing/error-facts.ts';
import type { EncodedFile, EncodeTarget } from '../plan/encoded-file.ts';
import type { EncodeLimits } from '../ffmpeg/limits.ts';
import { encodeBySingleRun } from './single-run.ts';
import type { Source } from '../source/source.ts';
import type { SegmentedCounters } from './segmented/counters.ts';
import { planEncode } from './segmented/plan-encode.ts';
import { encodeInSegments } from './segmented/run.ts';

/**
 * Encodes in segments on every core if that pays. Otherwise, or if segments cannot be made or joined, a single run
 * encodes.
 */
export async function encodeOutputs(
  source: Source,
  targets: readonly EncodeTarget[],
  limits: EncodeLimits,
  counters: SegmentedCounters,
  job: Work,
): Promise<EncodedFile[]> {
  job.advance('encode', 0);
  const path = source.audio?.path ?? source.path;
  const runSingle = async (): Promise<EncodedFile[]> =>
    await encodeBySingleRun(path, targets, limits, job.signal, (mediaSeconds, speed) => {
      const { estimatedSeconds } = source;
      job.advance('encode', estimatedSeconds === undefined ? undefined : mediaSeconds / estimatedSeconds, speed);
    });
  const plan = await planEncode(
    source,
    targets.map((target) => target.plan),
    limits.encodeParallelism,
  );
  if (plan.kind === 'single') {
    job.log.info({ reason: plan.reason }, 'Encoding by a single run');
    return await runSingle();
  }
  const segments = plan.splits.map((split) => (split.kind === 'split' ? split.segments.length : 1));
  const entries = [...plan.tracks.values()].map(({ entry }) => entry.kind);
  const facts = { entries, segments, processes: limits.encodeParallelism };
  job.log.info(facts, 'Encoding in parallel segments');
  counters.jobs += 1;
  try {
    return await encodeInSegments(path, targets, plan, limits, job);
  } catch (error) {
    job.signal.throwIfAborted();
    if (endsTheJob(error)) throw error;
    counters.fallbacks += 1;
    const { fallbacks } = counters;
    job.log.warn(
      { ...errorFacts(error), ...facts, fallbacks },
      'Encoding in segments was given up; falling back to a single run',
    );
    for (const target of targets) await rm(target.path, { recursive: true, force: true });
    return await runSingle();
  }
}
