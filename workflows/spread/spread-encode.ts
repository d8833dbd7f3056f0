import { ApplicationFailure, CancellationScope, log, patched, uuid4, workflowInfo } from '@temporalio/workflow';
import type { EncodeActivityInput } from '../../contract/activity.ts';
import type { EncodeResult } from '../../contract/http/encode.ts';
import {
  copyName,
  joinId,
  segmentFileName,
  segmentId,
  segmentPrefix,
  segmentsPerContainer,
  soundFileName,
  soundPrefix,
  type SpreadSettings,
  usualSegmentSeconds,
} from '../../contract/spread-settings.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import type { SpreadInput, SpreadOutcome } from '../../contract/workflow/spread.ts';
import { removeSegments, spreadSettings } from '../proxies.ts';
import { encodeStep } from '../run/container-steps.ts';
import { ownFailure } from '../run/own-failure.ts';
import { newRetryState, noCounts, sumCounts } from '../run/retry-state.ts';
import { runStep } from '../run/run-step.ts';
import type { Run } from '../run/run.ts';
import { encodeSegments, shareOfSegment } from './encode-segments.ts';
import { planStep } from './part-steps.ts';
import { isOfParts } from './spread-failures.ts';
import type { SpreadProgress } from './spread-progress.ts';

export interface SpreadEncode {
  outputs: EncodeResult['outputs'];
  source: EncodeResult['source'];
  counts: AttemptCounts;
  spread: SpreadOutcome;
}

/** Shares of the steps in the time of a run, measured with films of ten minutes. */
const shares = { plan: { from: 0, to: 2 }, segments: { from: 2, to: 90 }, join: { from: 90, to: 100 } };

/**
 * Encodes films or sound on several containers: a plan divides them into segments, each segment is a job, and another
 * job joins the segments and makes everything else. The segments are removed at every end.
 */
export async function spreadEncode(
  request: EncodeActivityInput,
  asked: SpreadInput,
  resumed: SpreadProgress | undefined,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadEncode> {
  let progress = resumed ?? (await begin(asked, run));
  for (;;) {
    switch (progress.kind) {
      case 'planning': {
        const planning = progress;
        run.status.startSegments(0);
        const ofParts = { ...run, key: planning.key };
        progress = await orWhole(planning, () => plan(request, asked, planning, ofParts, continueAsNew));
        break;
      }
      case 'segments':
      case 'joining': {
        const parts = progress;
        const ofParts = { ...run, key: parts.key };
        run.status.startSegments(parts.plan.segments.length);
        const ended: SpreadEncode | SpreadProgress = await orWhole(parts, () =>
          removingSegments(parts, ofParts, () => encodeAndJoin(request, asked, parts, ofParts, continueAsNew)),
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

/** Turns a failure of a part into the progress of a whole encode. */
async function orWhole<Result>(
  progress: SpreadProgress,
  work: () => Promise<Result>,
): Promise<Result | Extract<SpreadProgress, { kind: 'whole' }>> {
  try {
    return await work();
  } catch (error) {
    if (!isOfParts(error)) throw error;
    return { kind: 'whole', reason: error.message, state: newRetryState(), counts: progress.counts };
  }
}

async function begin(asked: SpreadInput, run: Run): Promise<SpreadProgress> {
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
    return { kind: 'whole', reason: 'fewer than two containers are available', state, counts: noCounts };
  }
  // A run that is reset to its beginning must not join jobs whose segments have been removed. A run that is reset to a
  // later point must find its segments and jobs again. Up to that point it repeats its random values, but not its
  // run id.
  const suffix = patched('spread-keys-survive-a-reset') ? uuid4() : workflowInfo().runId;
  const key = `${run.key}-${suffix}`;
  return { kind: 'planning', key, store, settings, state, counts: noCounts };
}

async function plan(
  request: EncodeActivityInput,
  asked: SpreadInput,
  progress: Extract<SpreadProgress, { kind: 'planning' }>,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadProgress> {
  const { key, store, settings } = progress;
  const part = {
    kind: 'plan',
    leastSeconds: asked === 'auto' ? settings.leastSeconds : 0,
    segments: lanesOf(asked, settings) * segmentsPerContainer,
    segmentSeconds:
      asked === 'auto' ? usualSegmentSeconds : { least: asked.segmentSeconds, most: asked.segmentSeconds },
  } as const;
  const { result, counts } = await runStep(planStep(request, part, shares.plan), progress.state, run, (state) =>
    continueAsNew({ ...progress, state }),
  );
  switch (result.kind) {
    case 'whole':
      return { ...result, state: newRetryState(), counts };
    case 'plan':
      return { kind: 'segments', key, store, settings, plan: result, files: {}, states: {}, counts };
  }
}

/** Segments that are encoded at a time. Queued ones would keep other runs from the next free container. */
function lanesOf(asked: SpreadInput, { mostContainers, containers }: SpreadSettings): number {
  return Math.max(1, Math.min(mostContainers, containers ?? Infinity, asked === 'auto' ? Infinity : asked.containers));
}

async function encodeAndJoin(
  request: EncodeActivityInput,
  asked: SpreadInput,
  progress: Extract<SpreadProgress, { kind: 'segments' | 'joining' }>,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadEncode> {
  if (progress.kind === 'joining') {
    const total = progress.plan.segments.length;
    for (const index of progress.plan.segments.keys()) {
      run.status.restoreDone(segmentId(index), shareOfSegment(shares.segments, index, total));
    }
    return await join(request, progress, run, continueAsNew);
  }
  const lanes = (settings: SpreadSettings): number => lanesOf(asked, settings);
  const { files, sound } = await encodeSegments(request, progress, lanes, run, shares.segments, continueAsNew);
  const { key, store, plan: planned, counts, copied = [], isSoundCopied } = progress;
  const joining = {
    kind: 'joining',
    key,
    store,
    plan: planned,
    files,
    copied,
    ...(sound !== undefined && { sound }),
    ...(isSoundCopied === true && { isSoundCopied }),
    state: newRetryState(),
    counts,
  } as const;
  return await join(request, joining, run, continueAsNew);
}

async function join(
  request: EncodeActivityInput,
  progress: Extract<SpreadProgress, { kind: 'joining' }>,
  run: Run,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<SpreadEncode> {
  const { plan: planned, files, store, sound = [] } = progress;
  const segments = planned.segments.map((_, index) =>
    (files[index] ?? []).map(({ name, sha256, sound }) => {
      const url = segmentPrefix(store, run.key, index) + name;
      return { url, sha256, ...(sound !== undefined && { sound }) };
    }),
  );
  const sounds = sound.map(({ name, sha256, made }) => ({ url: soundPrefix(store, run.key) + name, sha256, made }));
  const source = planned.identity;
  const part = { kind: 'join', source, segments, crfs: planned.crfs, ...(sounds.length > 0 && { sounds }) } as const;
  const step = encodeStep({ ...request, part }, { verb: 'Encoding', share: shares.join });
  const { result, counts } = await runStep(
    { ...step, id: joinId, summary: `join ${step.subject}` },
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
  run.status.restart();
  const step = encodeStep(request, { verb: 'Encoding', share: { from: 0, to: 100 } });
  const { result, counts } = await runStep(step, progress.state, run, (state) => continueAsNew({ ...progress, state }));
  const { outputs, source } = result;
  return { outputs, source, counts: sumCounts(progress.counts, counts), spread: { segments: 1, reason } };
}

/** Removes the files of all segments when `work` ends, unless the run continues as new. */
async function removingSegments<Result>(
  progress: Extract<SpreadProgress, { kind: 'segments' | 'joining' }>,
  run: Run,
  work: () => Promise<Result>,
): Promise<Result> {
  const { plan: planned, store } = progress;
  const names = Array.from({ length: planned.films }, (_, film) => segmentFileName(film));
  const urlsOf = (index: number, ownName = ''): string[] =>
    names.map((name) => segmentPrefix(store, run.key, index) + ownName + name);
  const soundUrls = (ownName: string): string[] =>
    Array.from(
      { length: planned.sounds ?? 0 },
      (_, file) => soundPrefix(store, run.key) + ownName + soundFileName(file),
    );
  // Outputs that are stored are a success, whatever becomes of the segments.
  const remove = (): Promise<void> =>
    CancellationScope.nonCancellable(() =>
      removeSegments([
        ...planned.segments.flatMap((_, index) => urlsOf(index)),
        ...(progress.copied ?? []).flatMap((index) => urlsOf(index, copyName)),
        ...soundUrls(''),
        ...(progress.isSoundCopied === true ? soundUrls(copyName) : []),
      ]),
    ).catch((error: unknown) => log.warn('The segments of the run could not be removed', { error }));
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    if (ownFailure(error) !== undefined) {
      await run.jobs.cancelRunning();
      await remove();
    }
    throw error;
  }
  await remove();
  return result;
}
