import { isRecord } from './unknown-values.ts';
import { longestProviderWaitSeconds } from './defaults.ts';
import { limitRules } from './limit-rules.ts';
import type { ProviderLimits, ThrottleSeconds } from './provider.ts';

/**
 * Messages between a limiter, the workflow `limiter/<environment>/<key>`, and the workflows that request permits. All
 * are signals: a Temporal update that waits for a permit would use up one of the few updates that a workflow may have
 * in flight.
 */

/** One limiter exists per provider key and environment, on the environment's `limiterTaskQueue`. */
export const limiterWorkflowType = 'limiter';

export function limiterWorkflowId(environment: string, key: string): string {
  return `limiter/${environment}/${key}`;
}

/** Undefined if the id is not a limiter's. */
export function limiterEnvironmentOf(workflowId: string): string | undefined {
  return /^limiter\/([^/]+)\//.exec(workflowId)?.[1];
}

export const limiterSignals = {
  /** Holders send requests, reports and withdrawals. */
  message: 'message',
  /** Operators send it. */
  throttle: 'throttle',
  resume: 'resume',
  setLimits: 'set_limits',
  /** Workers send it; the argument is a WorkerSlots. */
  slots: 'slots',
} as const;

export const limiterQueries = { stats: 'stats', details: 'details' } as const;

/** Signal from a limiter to its holders; the argument is a LimiterUpdate. */
export const limiterUpdateSignal = 'limiter_update';

/** The worker's settings. Every message repeats them, so that a running limiter learns of changes. */
export interface LimiterSettings {
  limits: ProviderLimits;
  /** Undefined: a rate limit at this key suspends no other run. */
  throttle?: ThrottleSeconds | undefined;
  /** `ProviderPolicy.readAtMs` */
  readAtMs?: number | undefined;
}

/** Third argument of a limiter that is started after one that was terminated or has failed. */
export interface EarlierLimiter {
  /** ms of the epoch */
  endedAtMs: number;
}

/**
 * A run that requests permits. The workflow id suffices to signal it; the key, its first execution's id, distinguishes
 * it from a later run.
 */
export interface Holder {
  workflowId: string;
  firstRunId: string;
  /** Current run; only set after an operator's reset, because calls of the former run may still be in progress. */
  runId?: string | undefined;
}

export interface Permit {
  /** Fencing token: a report under an ended permit changes nothing. */
  permitId: string;
  /** unique with its holder */
  requestId: string;
  /** ms of the epoch. After it the limiter grants the permit to another request, so a call must end by then. */
  expiresAtMs: number;
}

/** Returns a permit with the outcome of its call. */
export interface PermitReport {
  permitId: string;
  outcome:
    /** The provider works: it has processed the chunk, or refused it, perhaps for its content. */
    | { kind: 'ok' }
    | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
    /** Counts for the key's breaker. */
    | { kind: 'failed'; message: string }
    /** The provider rejects the key (401), or is not trusted. Runs of older versions also report a 403. */
    | { kind: 'unauthorized'; message: string }
    /** No call was made; the permit counts towards no limit. */
    | { kind: 'unused' }
    /** A call may have been made; its end says nothing about the provider. */
    | { kind: 'broken_off' };
}

/** Concurrent calls to the key's provider that a worker can make; 0 while it shuts down. */
export interface WorkerSlots {
  /** Unique among all workers. */
  workerId: string;
  slots: number;
}

/** Everything that a holder reports to its limiter, in one signal. Repeating any of it is harmless. */
export interface LimiterMessage {
  from: Holder;
  settings: LimiterSettings;
  /** ids, in order; those already queued keep their place */
  requests?: string[];
  withdrawals?: string[];
  reports?: PermitReport[];
  /** Permits in use; a restarted limiter adopts those that it does not know. */
  holding?: Permit[];
  /** The holder ends: the limiter drops all its requests and permits. */
  leaves?: boolean;
  /** Slots of the worker that starts the limiter with this message. */
  worker?: WorkerSlots;
}

/** Answer to a message with requests; also sent with each grant and when a throttle begins or ends. */
export interface LimiterUpdate {
  key: string;
  to: Holder;
  granted: Permit[];
  throttle?: Throttle;
  /** Why the limiter cannot queue this holder's requests; the holder asks again later. */
  refused?: string;
  /** This holder's requests that remain queued after these grants. */
  waiting: number;
  /** ms of the epoch at which the last of those is expected to be granted. */
  lastGrantAtMs?: number;
}

export interface Throttle {
  /** ms of the epoch */
  untilMs: number;
  reason: string;
  /** The provider rejects the key: chunks without another key fail at once. */
  unauthorized?: true;
  /** The run has suspended the key for itself, which its limiter does not know. */
  own?: true;
}

/**
 * Seconds for which a rejected key is suspended; then one call tries it again. An operator who replaces a key need not
 * report it, and a rejected key costs one call per period, only while a run needs it.
 */
const unauthorizedSeconds = 300;

/** Throttle of a key that its provider rejects with this message. */
export function unauthorizedThrottle(message: string, nowMs: number): Throttle {
  return { untilMs: nowMs + unauthorizedSeconds * 1000, reason: `unauthorized: ${message}`, unauthorized: true };
}

/** Argument of the signal `throttle`. */
export interface ThrottleOverride {
  seconds: number;
  /** 1 to 500 characters */
  reason: string;
}

/** Argument of the signal `set_limits`: each limit overrides the setting of its name until it is set to null. */
export type LimitsOverride = { [Name in keyof ProviderLimits]?: ProviderLimits[Name] | null };

export type { LimiterDetails, LimiterStats } from './limiter-details.ts';

/** State of one key's limiter in a run's status. */
export interface LimiterView {
  key: string;
  /** The limiter does not answer; each worker limits its own calls to its share. */
  degraded: boolean;
  throttledUntil?: string;
  throttleReason?: string;
  /** Why the limiter does not queue this run's requests; the run asks again. */
  refused?: string;
  /** queued requests of this run */
  waiting: number;
  /** ISO 8601; expected grant of the last of them */
  lastGrantAt?: string;
}

// Any client can send the operators' signals. An invalid value, such as a date out of range or a rate of zero, would
// stop the limiter permanently, so it is refused.

export function isThrottleSeconds(value: unknown): value is number {
  return isPositive(value, longestProviderWaitSeconds);
}

export function isThrottleReason(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 500;
}

export function isThrottleOverride(value: unknown): value is ThrottleOverride {
  return isRecord(value) && isThrottleSeconds(value['seconds']) && isThrottleReason(value['reason']);
}

export function isWorkerSlots(value: unknown): value is WorkerSlots {
  if (!isRecord(value)) return false;
  const { workerId, slots } = value;
  return (
    typeof workerId === 'string' &&
    workerId.length <= 200 &&
    typeof slots === 'number' &&
    slots >= 0 &&
    slots <= 100_000
  );
}

export function isLimitsOverride(value: unknown): value is LimitsOverride {
  return isRecord(value) && Object.entries(value).every(([name, limit]) => isLimit(name, limit));
}

function isLimit(name: string, value: unknown): boolean {
  if (!Object.hasOwn(limitRules, name)) return false;
  if (value === null) return true;
  const { unit, max } = limitRules[name as keyof typeof limitRules];
  return isPositive(value, max) && (unit === 'seconds' || Number.isInteger(value));
}

function isPositive(value: unknown, max: number): value is number {
  return typeof value === 'number' && value > 0 && value <= max;
}
