import type { LimiterView } from '../../contract/limiter.ts';
import type { ChunkState, WorkflowStatus } from '../../contract/workflow/status.ts';
import type { SpreadStatus } from '../../contract/workflow/spread.ts';
import { joinId, readSegmentId } from '../../contract/spread-settings.ts';
import type { RunSubject } from './subject.ts';
import {
  elapsedSecondsAt,
  isUnderWay,
  leadingStep,
  percentOfSteps,
  progressOf,
  roundPercent,
  type Share,
  type StepPlace,
  stepStatus,
  waitOf,
} from './step-status.ts';

/** The chunks of a run and the limiters of its providers. */
export interface ProcessingView {
  chunks: ({ index: number } & ChunkState)[];
  limiters: LimiterView[];
  startedAtMs: number;
  degraded: boolean;
  estimatedDelaySeconds: number | undefined;
}

export type RunStage =
  | { kind: 'preparing' }
  | { kind: 'steps' }
  | { kind: 'processing' }
  | { kind: 'assembling' }
  /** `shortfall`: sentence that says which work was not done although the run has a result. */
  | { kind: 'done'; elapsedSeconds: number; shortfall?: string }
  /** `phase` and `attempt` are those at the time of the failure. */
  | {
      kind: 'failed';
      ending: 'failed' | 'cancelled';
      message: string;
      phase: WorkflowStatus['phase'];
      attempt: number;
    };

/** The source of everything that a run reports about itself. */
export interface RunModel {
  readonly workflowType: string;
  /** Undefined until the input is parsed. */
  readonly subject?: RunSubject;
  /** Retry budget of each step, in seconds. */
  readonly maxRetryTime: number;
  readonly stage: RunStage;
  readonly places: readonly StepPlace[];
  /** Number of segments of a spread run, 0 until its plan is made. */
  readonly segments?: number;
  readonly chunksShare: Share;
  /** Set with the first chunk and kept after the last, so that the status still lists the chunks. */
  readonly chunksView?: () => ProcessingView;
  readonly findings?: readonly string[];
}

export function newRunModel(workflowType: string, maxRetryTime: number): RunModel {
  const chunksShare = { from: 0, to: 100 };
  return { workflowType, maxRetryTime, stage: { kind: 'preparing' }, places: [], chunksShare };
}

export function withFailure(model: RunModel, ending: 'failed' | 'cancelled', message: string, nowMs: number): RunModel {
  const failed = model.places.findLast(({ situation }) => situation.kind === 'failed');
  const attempt = (failed ?? leadingStep(model.places))?.attempt ?? 0;
  const places = model.places.map((place) =>
    isUnderWay(place)
      ? { ...place, elapsedSeconds: elapsedSecondsAt(place, nowMs), situation: { kind: 'failed' as const } }
      : place,
  );
  return { ...model, places, stage: { kind: 'failed', ending, message, phase: phaseOf(model), attempt } };
}

export function workflowStatus(model: RunModel, nowMs: number): WorkflowStatus {
  const { stage, places, maxRetryTime } = model;
  const view = model.chunksView?.();
  const lead = leadingStep(places);
  const elapsedSeconds = elapsedSecondsOf(model, nowMs);
  const waiting = stage.kind === 'steps' && lead !== undefined ? waitOf(lead) : undefined;
  const etaSeconds = etaSecondsOf(model);
  return {
    phase: phaseOf(model),
    state: stateOf(model),
    percent: roundPercent(percentOf(model, view)),
    attempt: attemptOf(model),
    ...(waiting !== undefined && { waiting }),
    elapsedSeconds,
    budgetLeftSeconds: Math.max(0, budgetOf(lead, maxRetryTime) - elapsedSeconds),
    ...(etaSeconds !== undefined && { etaSeconds }),
    ...(stage.kind === 'steps' && paceOf(lead)),
    ...stepsStatus(model),
    ...(view !== undefined && chunksStatus(model, view, nowMs)),
  };
}

/** A spread run has up to 120 steps, of which only those under way are listed. */
function stepsStatus(model: RunModel): Pick<WorkflowStatus, 'steps' | 'spread'> {
  const { places } = model;
  const spread = spreadStatus(model);
  if (spread === undefined) return places.length > 1 ? { steps: places.map(stepStatus) } : {};
  return { steps: places.filter(isUnderWay).map(stepStatus), spread };
}

export function spreadStatus({ places, segments }: RunModel): SpreadStatus | undefined {
  if (segments === undefined) return undefined;
  const states = new Map<number, StepPlace['situation']['kind'][]>();
  for (const { id, situation } of places) {
    const job = readSegmentId(id);
    if (job !== undefined) states.set(job.segment, [...(states.get(job.segment) ?? []), situation.kind]);
  }
  // A slow segment has two jobs; the job with more progress counts.
  const of = [...states.values()];
  const [done, rest] = [of.filter((kinds) => kinds.includes('done')), of.filter((kinds) => !kinds.includes('done'))];
  const running = rest.filter((kinds) => kinds.includes('running')).length;
  const failed = rest.filter((kinds) => kinds.every((kind) => kind === 'failed')).length;
  return { segments, done: done.length, running, waiting: rest.length - running - failed };
}

function budgetOf(lead: StepPlace | undefined, maxRetryTime: number): number {
  return (lead?.situation.kind === 'waiting' ? lead.situation.maxRetryTime : undefined) ?? maxRetryTime;
}

function paceOf(lead: StepPlace | undefined): Pick<WorkflowStatus, 'speed' | 'video'> {
  const { speed, video } = (lead && progressOf(lead)) ?? {};
  return { ...(speed !== undefined && { speed }), ...(video !== undefined && { video }) };
}

export function attemptOf({ stage, places }: RunModel): number {
  return stage.kind === 'failed' ? stage.attempt : (leadingStep(places)?.attempt ?? 0);
}

export function percentOf({ stage, places, chunksShare }: RunModel, view: ProcessingView | undefined): number {
  if (stage.kind === 'done') return 100;
  if (view === undefined) return percentOfSteps(places);
  const { from, to } = chunksShare;
  const ended = view.chunks.filter(({ state }) => state === 'completed' || state === 'failed').length;
  return from + ((to - from) * ended) / Math.max(1, view.chunks.length);
}

export function phaseOf({ stage, places }: RunModel): WorkflowStatus['phase'] {
  switch (stage.kind) {
    case 'preparing':
      return 'prepare';
    case 'steps':
      return leadingStep(places)?.phase ?? places.findLast(({ phase }) => phase !== undefined)?.phase ?? 'prepare';
    case 'processing':
      return 'process';
    case 'assembling':
      return 'assemble';
    case 'done':
      return 'done';
    case 'failed':
      return stage.phase;
  }
}

export function stateOf({ stage, places }: RunModel): WorkflowStatus['state'] {
  switch (stage.kind) {
    case 'preparing':
      return 'queued';
    case 'steps':
      // Between two steps, the run is about to queue the next one.
      return leadingStep(places.filter(isUnderWay))?.situation.kind ?? 'queued';
    case 'processing':
    case 'assembling':
      return 'running';
    case 'done':
      return stage.shortfall === undefined ? 'done' : 'failed';
    case 'failed':
      return 'failed';
  }
}

function elapsedSecondsOf({ stage, places }: RunModel, nowMs: number): number {
  if (stage.kind === 'done') return stage.elapsedSeconds;
  const underWay = places.filter(isUnderWay);
  const last = places.at(-1);
  const counted = underWay.length > 0 ? underWay : last === undefined ? [] : [last];
  return Math.max(0, ...counted.map((place) => elapsedSecondsAt(place, nowMs)));
}

function etaSecondsOf({ stage, places, segments }: RunModel): number | undefined {
  if (stage.kind !== 'steps') return undefined;
  // Other steps of a spread run follow those under way.
  if (segments !== undefined && places.some((place) => isUnderWay(place) && place.id !== joinId)) return undefined;
  const etas = places.flatMap((place) => progressOf(place)?.etaSeconds ?? []);
  return etas.length === 0 ? undefined : Math.max(...etas);
}

function chunksStatus({ stage, maxRetryTime }: RunModel, view: ProcessingView, nowMs: number): Partial<WorkflowStatus> {
  const { chunks, degraded, limiters, estimatedDelaySeconds, startedAtMs } = view;
  return {
    chunks: withShortMessages(chunks),
    degraded,
    throttled: throttledKeys(limiters),
    ...(estimatedDelaySeconds !== undefined && { estimatedDelaySeconds }),
    // Chunks have attempt limits instead of a time budget.
    ...(stage.kind === 'processing' && {
      elapsedSeconds: Math.max(0, Math.floor((nowMs - startedAtMs) / 1000)),
      budgetLeftSeconds: maxRetryTime,
      ...(estimatedDelaySeconds !== undefined && { etaSeconds: estimatedDelaySeconds }),
    }),
  };
}

/** With more chunks, complete messages would exceed the size limit of a query result. */
const mostWithMessages = 1_000;
const shortMessageCharacters = 80;

function withShortMessages(chunks: ProcessingView['chunks']): ProcessingView['chunks'] {
  if (chunks.length <= mostWithMessages) return chunks;
  return chunks.map((chunk) =>
    chunk.state === 'failed' ? { ...chunk, message: chunk.message.slice(0, shortMessageCharacters) } : chunk,
  );
}

function throttledKeys(limiters: readonly LimiterView[]): NonNullable<WorkflowStatus['throttled']> {
  return limiters.flatMap(({ key, throttledUntil, throttleReason = '' }) =>
    throttledUntil === undefined ? [] : [{ provider: key, until: throttledUntil, reason: throttleReason }],
  );
}
