import { longestProviderWaitSeconds } from './defaults.ts';
import type { ProviderLimits, ThrottleSeconds } from './provider.ts';

/**
 * What a limiter and the workflows that ask it for permits tell each other. A limiter is the workflow `limiter/<environment>/<key>`;
 * its names stand in `names.ts`. Everything goes by signals, both ways: nobody is parked in an Update.
 */

/** One for each provider key and environment, on the main task queue. */
export const limiterWorkflowType = 'limiter';

export function limiterWorkflowId(environment: string, key: string): string {
  return `limiter/${environment}/${key}`;
}

export const limiterSignals = {
  /** from holders: requests, reports, withdrawals */
  message: 'message',
  /** from operators */
  throttle: 'throttle',
  resume: 'resume',
  setLimits: 'set_limits',
} as const;

export const limiterQueries = { stats: 'stats', details: 'details' } as const;

/** Sent by a limiter to the workflows that ask it for permits. */
export const limiterUpdateSignal = 'limiter_update';

/** From the worker's settings; comes with every mail, so that a changed setting reaches a limiter that runs. */
export interface LimiterSettings {
  limits: ProviderLimits;
  /** Missing: a rate limit at this key suspends nobody else. */
  throttle?: ThrottleSeconds | undefined;
}

/** A workflow that asks for permits. Its id alone finds it over all of its runs; the run tells it from a later one of the same id. */
export interface Holder {
  workflowId: string;
  firstRunId: string;
}

export interface Permit {
  /** The fencing token: one that is over names nothing, and what is reported under it changes nothing. */
  permitId: string;
  /** unique with its holder */
  requestId: string;
  /** ms of the epoch. Whoever cannot be done by then must not begin: the limiter gives the place to somebody else. */
  expiresAtMs: number;
}

/** How a call under a permit ended. */
export type CallReport =
  | { kind: 'ok' }
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | { kind: 'failed'; message: string }
  /** No call was made. */
  | { kind: 'unused' };

/** With the report the permit is given back. */
export interface PermitReport {
  permitId: string;
  outcome: CallReport;
}

/** All that one holder has to say at a time. Repeating any of it is harmless. */
export interface LimiterMessage {
  from: Holder;
  settings: LimiterSettings;
  /** ids, in their order; ones that the limiter has already keep their place */
  requests?: string[];
  withdrawals?: string[];
  reports?: PermitReport[];
  /** Permits in use: a limiter that was started anew adopts those that it does not know. */
  holding?: Permit[];
  /** The holder ends: drop all that it waits for and holds. */
  leaves?: boolean;
}

/** A limiter's answer to mail that asks, and what it says by itself: grants, and a throttle's begin and end. */
export interface LimiterUpdate {
  key: string;
  to: Holder;
  granted: Permit[];
  throttle?: Throttle;
  /** Of this holder's requests, after these grants. */
  waiting: number;
  /** ms of the epoch: when the last of them is expected to be granted. */
  lastGrantAtMs?: number;
}

export interface Throttle {
  /** ms of the epoch */
  untilMs: number;
  reason: string;
}

/** The argument of the signal `throttle`. */
export interface ThrottleOverride {
  seconds: number;
  /** 1 to 500 characters */
  reason: string;
}

/** The argument of the signal `set_limits`: they stand over the settings' ones until they are set to null. */
export type LimitsOverride = { [Name in keyof ProviderLimits]?: ProviderLimits[Name] | null };

/** What the query `stats` answers. */
export interface LimiterStats {
  requests_last_minute: number;
  limit_per_minute: number;
  requests_last_hour: number;
  limit_per_hour: number;
  burst_tokens_remaining: number;
  burst_limit: number;
  /** in the window that the limiter remembers: an hour */
  total_requests_tracked: number;
  permits_in_use: number;
  max_concurrent: number;
  waiting: number;
  throttled: boolean;
  /** ISO 8601 */
  throttle_until: string | null;
  throttle_reason: string | null;
}

/** What the query `details` answers: the stats, and of the same moment who holds and waits, and what was set by hand. */
export interface LimiterDetails {
  stats: LimiterStats;
  limits: ProviderLimits;
  /** What they are without those set by hand. */
  settings: ProviderLimits;
  override: LimitsOverride;
  breaker: { state: 'closed' | 'open' | 'probing'; failuresInRow: number; until: string | null };
  permits: { permitId: string; holder: string; requestId: string; expiresAt: string }[];
  waiting: { holder: string; requests: number }[];
}

/** What a status shows of one key's limiter. */
export interface LimiterView {
  key: string;
  /** The limiter does not answer; calls go on under each worker's own limit. */
  degraded: boolean;
  throttledUntil?: string;
  throttleReason?: string;
  /** requests of this run that wait there */
  waiting: number;
  /** ISO 8601: when the last of them is expected to be granted */
  lastGrantAt?: string;
}

/** What each limit may be, wherever it is set: in PROVIDERS_FILE, by a variable, or by an operator. */
export const limitRules = {
  maxConcurrent: { unit: 'count', max: 1_000, default: 5 },
  requestsPerMinute: { unit: 'count', max: 1_000_000, default: 50 },
  requestsPerHour: { unit: 'count', max: 10_000_000, default: 1_000 },
  burstLimit: { unit: 'count', max: 1_000_000, default: 10 },
  permitSeconds: { unit: 'seconds', max: 3_600, default: 120 },
  breakerFailures: { unit: 'count', max: 1_000, default: 5 },
  breakerSeconds: { unit: 'seconds', max: 3_600, default: 60 },
} as const;

// The signals come from anybody's client. A value that makes no sense is refused: a date that cannot be written, or a rate of
// nothing, would stop the limiter for good.

export function isThrottleSeconds(value: unknown): value is number {
  return isPositive(value, longestProviderWaitSeconds);
}

export function isThrottleReason(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 500;
}

export function isThrottleOverride(value: unknown): value is ThrottleOverride {
  return isRecord(value) && isThrottleSeconds(value['seconds']) && isThrottleReason(value['reason']);
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
