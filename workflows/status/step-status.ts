import type { JobProgress } from '../../contract/activity.ts';
import type { Unreached } from '../../contract/workflow/failure.ts';
import type { StepState, StepStatus, WaitStatus } from '../../contract/workflow/status.ts';
import type { RetryableOutcome } from '../run/retry-decision.ts';

/** A part of the whole run, in percent. */
export interface Share {
  from: number;
  to: number;
}

export interface StepWait {
  reason: RetryableOutcome['kind'];
  seconds: number;
  /** Undefined means the container. */
  unreached?: Unreached | undefined;
  /** Why the attempt failed. */
  error?: string;
  /** Seconds; the step's budget at this error, if it has one of its own. */
  maxRetryTime?: number;
}

export type StepSituation =
  | { kind: 'queued' }
  /** Another run does the step's work if there is no `progress`. */
  | { kind: 'running'; progress?: JobProgress }
  | (StepWait & { kind: 'waiting'; sinceMs: number })
  | { kind: 'done' }
  | { kind: 'failed' };

export interface StepPlace {
  readonly id: string;
  readonly share: Share;
  readonly attempt: number;
  readonly situation: StepSituation;
  /** The phase that a job reported last; `process` while another run transcribes. */
  readonly phase: StepStatus['phase'] | undefined;
  /** Progress of the step itself, 0 to 100. */
  readonly percent: number;
  /** Seconds of the step's budget that were used when the current situation began. */
  readonly elapsedSeconds: number;
}

export function newStepPlace(id: string, share: Share): StepPlace {
  return { id, share, attempt: 0, situation: { kind: 'queued' }, phase: undefined, percent: 0, elapsedSeconds: 0 };
}

/** Applies a progress signal. A signal of an attempt that has ended is ignored. */
export function withProgress(place: StepPlace, progress: JobProgress): StepPlace {
  const { situation } = place;
  if (situation.kind !== 'queued' && situation.kind !== 'running') return place;
  const { phase, percent } = progress;
  return { ...place, phase, percent, situation: { kind: 'running', progress } };
}

export function isUnderWay({ situation }: StepPlace): boolean {
  return situation.kind === 'queued' || situation.kind === 'running' || situation.kind === 'waiting';
}

/** What the job of a running step has reported last. */
export function progressOf({ situation }: StepPlace): JobProgress | undefined {
  return situation.kind === 'running' ? situation.progress : undefined;
}

/** The used part of the step's budget. A running attempt counts only once it has failed. */
export function elapsedSecondsAt({ elapsedSeconds, situation }: StepPlace, nowMs: number): number {
  if (situation.kind !== 'waiting') return elapsedSeconds;
  const seconds = Math.max(0, Math.floor((nowMs - situation.sinceMs) / 1000));
  return elapsedSeconds + Math.min(seconds, situation.seconds);
}

/** Errors are sentences; a foreign page may be longer. */
const maxErrorChars = 300;

export function waitOf({ situation }: StepPlace): WaitStatus | undefined {
  if (situation.kind !== 'waiting') return undefined;
  const { reason, unreached, error, seconds, sinceMs } = situation;
  const until = new Date(sinceMs + seconds * 1000).toISOString();
  const why = reason === 'connection_error' && error !== undefined ? { error: error.slice(0, maxErrorChars) } : {};
  return { reason, ...(unreached !== undefined && { unreached }), ...why, until, seconds };
}

/** Host and port of a container, without a user and a password. */
export function shownHost(url: string): string {
  return url.replace(/^[a-z]+:\/\//, '').replace(/^[^/@]*@/, '');
}

export function stepStatus(place: StepPlace): StepStatus {
  const { id, phase = 'prepare', situation, percent, attempt } = place;
  const waiting = waitOf(place);
  const progress = progressOf(place);
  return {
    id,
    phase,
    state: situation.kind,
    percent: roundPercent(percent),
    attempt,
    ...(progress !== undefined && { container: shownHost(progress.location.containerUrl) }),
    ...(waiting !== undefined && { waiting }),
  };
}

/** Most informative state first. */
const statesByWeight: readonly StepState[] = ['running', 'waiting', 'queued', 'failed', 'done'];

/** The step that represents the run in its status; among steps in the same state, the one that started last. */
export function leadingStep(places: readonly StepPlace[]): StepPlace | undefined {
  for (const state of statesByWeight) {
    const place = places.findLast(({ situation }) => situation.kind === state);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** The percentage of the whole run. After continuing as new, earlier steps are unknown and count as done. */
export function percentOfSteps(places: readonly StepPlace[]): number {
  if (places.length === 0) return 0;
  const before = Math.min(...places.map(({ share }) => share.from));
  return places.reduce((sum, { share, percent }) => sum + ((share.to - share.from) * percent) / 100, before);
}

export function roundPercent(percent: number): number {
  return Math.round(percent * 10) / 10;
}
