import { ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { EncodeActivityInput } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import type { EncodeResult } from '../../contract/http/encode.ts';
import { segmentPrefix, type SpreadSettings } from '../../contract/spread-settings.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import type { SpreadInput, SpreadOutcome } from '../../contract/workflow/spread.ts';
import { removeSegments, spreadSettings } from '../proxies.ts';
import { encodeStep } from '../run/container-steps.ts';
import { newRetryState, noCounts, sumCounts } from '../run/retry-state.ts';
import { runStep } from '../run/run-step.ts';
import type { Run } from '../run/run.ts';
import { encodeSegments } from './encode-segments.ts';
import { planStep } from './part-steps.ts';
import type { PlannedSegments, SpreadProgress } from './spread-progress.ts';

export interface SpreadEncode {
  outputs: EncodeResult['outputs'];
  source: EncodeResult['source'];
  counts: AttemptCounts;
  spread: SpreadOutcome;
}

/** Shares of the steps in the time of a run, measured with films of ten minutes. */
const shares = { plan: { from: 0, to: 2 }, segments: { from: 2, to: 90 }, join: { from: 90, to: 100 } };

/** Failures after which one container encodes the whole film instead. */
const spreadFailures: ReadonlySet<string> = new Set([failureType('segment_mismatch'), failureType('output_invalid')]);

/**
 * Encodes films on several containers: a plan divides them into segments, each segment is a job, and another job joins
 * the segments and makes everything else. The segments are removed at every end.
 */
export async function spreadEncode(
  request: EncodeActivityInput,
  asked: SpreadInput,
  resumed: SpreadProgress | undefined,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadEncode> {
  let progress = resumed ?? (await begin(asked));
  for (;;) {
    switch (progress.kind) {
      case 'planning':
        progress = await plan(request, asked, progress, run, continueAsNew);
        break;
      case 'segments':
      case 'joining': {
        const { plan: planned, store } = progress;
        run.status.startSegments(planned.segments.length);
        const ended: SpreadEncode | SpreadProgress = await removingSegments(planned, store, run, () =>
          encodeAndJoin(request, asked, progress, run, continueAsNew),
        );
        if ('outputs' in ended) return ended;
        progress = ended;
        break;
      }
      case 'whole':
        return await encodeWhole(request, progress, run, continueAsNew);
    }
  }
}

async function begin(asked: SpreadInput): Promise<SpreadProgress> {
  const settings = await spreadSettings();
  const { store, containers } = settings;
  if (store === undefined) {
    throw ApplicationFailure.nonRetryable(
      'This run has "spread", and the workers have no store for its segments: set SEGMENT_STORE_URL',
      'SpreadNotConfigured',
    );
  }
  const state = newRetryState();
  if (asked === 'auto' && (containers ?? 0) < 2) {
    return { kind: 'whole', reason: 'fewer than two containers are there', state, counts: noCounts };
  }
  return { kind: 'planning', store, settings, state, counts: noCounts };
}

/** Segments per container by default: enough that the last ones end at about the same time. */
const segmentsPerContainer = 3;

/** Default length of a segment in seconds: the pictures before and after it cost less in a longer one. */
const usualSeconds = { least: 60, most: 120 };

async function plan(
  request: EncodeActivityInput,
  asked: SpreadInput,
  progress: Extract<SpreadProgress, { kind: 'planning' }>,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadProgress> {
  const { store, settings } = progress;
  const part = {
    kind: 'plan',
    leastSeconds: asked === 'auto' ? settings.leastSeconds : 0,
    segments: lanesOf(asked, settings) * segmentsPerContainer,
    segmentSeconds: asked === 'auto' ? usualSeconds : { least: asked.segmentSeconds, most: asked.segmentSeconds },
  } as const;
  const { result, counts } = await runStep(planStep(request, part, shares.plan), progress.state, run, (state) =>
    continueAsNew({ ...progress, state }),
  );
  switch (result.kind) {
    case 'whole':
      return { ...result, state: newRetryState(), counts };
    case 'plan':
      return { kind: 'segments', store, settings, plan: result, files: {}, states: {}, counts };
  }
}

/** Segments that are encoded at a time. Queued ones would keep other runs from the next free container. */
function lanesOf(asked: SpreadInput, { mostContainers, containers }: SpreadSettings): number {
  return Math.max(1, Math.min(mostContainers, containers ?? Infinity, asked === 'auto' ? Infinity : asked.containers));
}

async function encodeAndJoin(
  request: EncodeActivityInput,
  asked: SpreadInput,
  from: SpreadProgress,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadEncode | SpreadProgress> {
  let progress = from;
  try {
    if (progress.kind === 'segments') {
      const { files, counts } = await encodeSegments(
        request,
        progress,
        lanesOf(asked, progress.settings),
        run,
        shares.segments,
        continueAsNew,
      );
      progress = { kind: 'joining', store: progress.store, plan: progress.plan, files, state: newRetryState(), counts };
    }
    if (progress.kind !== 'joining') return progress;
    return await join(request, progress, run, continueAsNew);
  } catch (error) {
    const isOfSegments = error instanceof ApplicationFailure && spreadFailures.has(error.type ?? '');
    if (!isOfSegments) throw error;
    return { kind: 'whole', reason: error.message, state: newRetryState(), counts: progress.counts };
  }
}

async function join(
  request: EncodeActivityInput,
  progress: Extract<SpreadProgress, { kind: 'joining' }>,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadEncode> {
  const { plan: planned, files, store } = progress;
  const segments = planned.segments.map((_, index) =>
    (files[index] ?? []).map(({ name, sha256 }) => ({ url: segmentPrefix(store, run.key, index) + name, sha256 })),
  );
  const part = { kind: 'join', source: planned.identity, segments } as const;
  const step = encodeStep({ ...request, part }, { verb: 'Encoding', share: shares.join });
  const { result, counts } = await runStep(
    { ...step, id: 'join', summary: `join ${step.subject}` },
    progress.state,
    run,
    (state) => continueAsNew({ ...progress, state }),
  );
  return {
    outputs: result.outputs,
    source: result.source,
    counts: sumCounts(progress.counts, counts),
    spread: { segments: planned.segments.length },
  };
}

async function encodeWhole(
  request: EncodeActivityInput,
  progress: Extract<SpreadProgress, { kind: 'whole' }>,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadEncode> {
  const { reason } = progress;
  const step = encodeStep(request, { verb: 'Encoding', share: { from: 0, to: 100 } });
  const { result, counts } = await runStep(step, progress.state, run, (state) => continueAsNew({ ...progress, state }));
  const { outputs, source } = result;
  return { outputs, source, counts: sumCounts(progress.counts, counts), spread: { segments: 1, reason } };
}

/** Removes the files of all segments when `work` ends in any way but by continuing as new. */
async function removingSegments<Result>(
  { segments, films }: PlannedSegments,
  store: string,
  run: Run,
  work: () => Promise<Result>,
): Promise<Result> {
  const urls = segments.flatMap((_, index) =>
    Array.from({ length: films }, (__, film) => `${segmentPrefix(store, run.key, index)}film-${film}.mp4`),
  );
  const remove = (): Promise<void> => CancellationScope.nonCancellable(() => removeSegments(urls));
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    if (error instanceof ApplicationFailure || isCancellation(error)) {
      await run.jobs.end();
      await remove();
    }
    throw error;
  }
  await remove();
  return result;
}
