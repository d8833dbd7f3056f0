import { isRecord } from './unknown-values.ts';
import { longestProviderWaitSeconds } from './defaults.ts';
import { limitRules } from './limit-rules.ts';
import type { ProviderLimits, ThrottleSeconds } from './provider.ts';

/**
 * What a limiter, the workflow `limiter/<environment>/<key>`, and the workflows that request permits from it send each other.
 * All of it goes by signals, both ways: a Temporal update that waited for a permit would count against the few that a workflow
 * may have in flight.
 */

/** One for each provider key and environment, on the environment's `limiterTaskQueue`. */
export const limiterWorkflowType = 'limiter';

export function limiterWorkflowId(environment: string, key: string): string {
  return `limiter/${environment}/${key}`;
}

/** undefined where the id is no limiter's. */
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

/** Sent by a limiter to its holders; the argument is a LimiterUpdate. */
export const limiterUpdateSignal = 'limiter_update';

/** Settings of the worker. Every message repeats them, so that a changed setting reaches a running limiter. */
export interface LimiterSettings {
  limits: ProviderLimits;
  /** Missing: a rate limit at this key suspends no other run. */
  throttle?: ThrottleSeconds | undefined;
}

/** A run that requests permits. Its workflow's id is enough to signal it; its key, the id of its first execution, tells it from a later run. */
export interface Holder {
  workflowId: string;
  firstRunId: string;
}

export interface Permit {
  /** The fencing token: a report under the id of a permit that has ended changes nothing. */
  permitId: string;
  /** unique with its holder */
  requestId: string;
  /** ms of the epoch. A call that may not have ended by then must not begin: the limiter grants the permit's place to another request. */
  expiresAtMs: number;
}

/** The end of a permit: it is given back with how the call under it ended. */
export interface PermitReport {
  permitId: string;
  outcome:
    | { kind: 'ok' }
    | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
    /** Counts for the key's breaker. */
    | { kind: 'failed'; message: string }
    /** The provider refuses the key: 401 or 403. */
    | { kind: 'unauthorized'; message: string }
    /** No call was made: the permit counts for no limit. */
    | { kind: 'unused' }
    /** A call may have been made; how it ended says nothing about the provider. */
    | { kind: 'broken_off' };
}

/** How many calls to the key's provider a worker can make at once; 0 where it stops. */
export interface WorkerSlots {
  /** Unique among all workers. */
  workerId: string;
  slots: number;
}

/** Whatever one holder has to tell its limiter, in one signal. Repeating any of it is harmless. */
export interface LimiterMessage {
  from: Holder;
  settings: LimiterSettings;
  /** ids, in their order; those that the limiter has already queued keep their place */
  requests?: string[];
  withdrawals?: string[];
  reports?: PermitReport[];
  /** Permits in use: a limiter that was started again adopts those that it does not know. */
  holding?: Permit[];
  /** The holder ends: drop all that it waits for and holds. */
  leaves?: boolean;
  /** Slots of the worker that starts the limiter with this message. */
  worker?: WorkerSlots;
}

/** The answer to a message with requests; also sent when something is granted, and when a throttle begins or ends. */
export interface LimiterUpdate {
  key: string;
  to: Holder;
  granted: Permit[];
  throttle?: Throttle;
  /** A sentence, where the limiter has no room for this holder's requests: it is to ask again later. */
  refused?: string;
  /** How many of this holder's requests are still queued after these grants. */
  waiting: number;
  /** ms of the epoch: when the last of those is expected to be granted. */
  lastGrantAtMs?: number;
}

export interface Throttle {
  /** ms of the epoch */
  untilMs: number;
  reason: string;
  /** The provider refuses the key: chunks that have no other key fail at once, and wait for nothing. */
  unauthorized?: true;
}

/**
 * How long a key that its provider refuses is suspended. Then one call tries: whoever has mended the key need not tell anybody, and a
 * key that stays refused costs one call in this time, and only while a run wants it.
 */
export const unauthorizedSeconds = 300;

/** The throttle of a key that its provider refuses with this message. */
export function unauthorizedThrottle(message: string, nowMs: number): Throttle {
  return { untilMs: nowMs + unauthorizedSeconds * 1000, reason: `unauthorized: ${message}`, unauthorized: true };
}

/** The argument of the signal `throttle`. */
export interface ThrottleOverride {
  seconds: number;
  /** 1 to 500 characters */
  reason: string;
}

/** The argument of the signal `set_limits`: each limit overrides the setting of its name until it is set to null. */
export type LimitsOverride = { [Name in keyof ProviderLimits]?: ProviderLimits[Name] | null };

/** What the query `stats` answers. */
export interface LimiterStats {
  requests_last_minute: number;
  limit_per_minute: number;
  requests_last_hour: number;
  limit_per_hour: number;
  burst_tokens_remaining: number;
  burst_limit: number;
  /** Requests in the last hour. */
  total_requests_tracked: number;
  permits_in_use: number;
  max_concurrent: number;
  waiting: number;
  throttled: boolean;
  /** ISO 8601 */
  throttle_until: string | null;
  throttle_reason: string | null;
}

/** Answer of the query `details`: the stats with holders, waiting requests and overrides of the same moment. */
export interface LimiterDetails {
  stats: LimiterStats;
  limits: ProviderLimits;
  /** The limits without the operator's override. */
  settings: ProviderLimits;
  override: LimitsOverride;
  /** The slots of all workers that have reported; permits are granted for no more calls than that. null where none has. */
  slots: number | null;
  breaker: { state: 'closed' | 'open' | 'probing'; failuresInRow: number; until: string | null };
  permits: { permitId: string; holder: string; requestId: string; expiresAt: string }[];
  waiting: { holder: string; requests: number }[];
}

/** What a run's status shows of one key's limiter. */
export interface LimiterView {
  key: string;
  /** The limiter does not answer; each worker keeps its calls to its share of the limits. */
  degraded: boolean;
  throttledUntil?: string;
  throttleReason?: string;
  /** Why the limiter does not queue this run's requests; it is asked again. */
  refused?: string;
  /** requests of this run that are queued there */
  waiting: number;
  /** ISO 8601: when the last of them is expected to be granted */
  lastGrantAt?: string;
}

// Any client can send the operators' signals. A value that makes no sense is refused: a date out of range, or a rate of zero,
// would stop the limiter for good.

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
