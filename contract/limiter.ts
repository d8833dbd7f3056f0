import { z } from 'zod';
import { longestProviderWaitSeconds } from './names.ts';
import type { ProviderLimits, ThrottleSeconds } from './provider.ts';

/**
 * What a gate and the workflows that ask it for permits tell each other. A gate is the workflow `gate/<environment>/<key>`;
 * its names stand in `names.ts`. Everything goes by signals, both ways: nobody is parked in an Update.
 */

/** Part of a gate's id: runs of another environment have gates, and with them limits, of their own. */
export const GateEnvironment = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, {
  error: 'must be a name of letters, digits, ".", "_" and "-"',
});

/** From the worker's settings; comes with every mail, so that a changed setting reaches a gate that runs. */
export interface GateSettings {
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
  /** ms of the epoch. Whoever cannot be done by then must not begin: the gate gives the place to somebody else. */
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
export interface GateMail {
  from: Holder;
  settings: GateSettings;
  /** ids, in their order; ones that the gate has already keep their place */
  requests?: string[];
  withdrawals?: string[];
  reports?: PermitReport[];
  /** Permits in use: a gate that was started anew adopts those that it does not know. */
  holding?: Permit[];
  /** The holder ends: drop all that it waits for and holds. */
  leaves?: boolean;
}

/** A gate's answer to mail that asks, and what it says by itself: grants, and a throttle's begin and end. */
export interface GateNews {
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
export const ThrottleByHand = z.strictObject({
  seconds: z.number().positive().max(longestProviderWaitSeconds),
  reason: z.string().min(1).max(500),
});
export type ThrottleByHand = z.infer<typeof ThrottleByHand>;

/** The argument of the signal `set_limits`: they stand over the settings' ones until they are set to null. */
export type LimitsByHand = { [Name in keyof ProviderLimits]?: ProviderLimits[Name] | null };

/** What the query `stats` answers. */
export interface GateStats {
  requests_last_minute: number;
  limit_per_minute: number;
  requests_last_hour: number;
  limit_per_hour: number;
  burst_tokens_remaining: number;
  burst_limit: number;
  /** in the window that the gate remembers: an hour */
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
export interface GateDetails {
  stats: GateStats;
  limits: ProviderLimits;
  /** What they are without those set by hand. */
  settings: ProviderLimits;
  byHand: LimitsByHand;
  breaker: { state: 'closed' | 'open' | 'probing'; failuresInRow: number; until: string | null };
  permits: { permitId: string; holder: string; requestId: string; expiresAt: string }[];
  waiting: { holder: string; requests: number }[];
}

/** What a status shows of one key's gate. */
export interface GateView {
  key: string;
  /** The gate does not answer; calls go on under each worker's own limit. */
  degraded: boolean;
  throttledUntil?: string;
  throttleReason?: string;
  /** requests of this run that wait there */
  waiting: number;
  /** ISO 8601: when the last of them is expected to be granted */
  lastGrantAt?: string;
}
