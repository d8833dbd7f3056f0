import type { PermitReport } from '../../../contract/limiter.ts';

/** Circuit breaker: after consecutive failures it opens for a time; then the outcome of one probe decides. */
export type Breaker =
  | { kind: 'closed'; failuresInRow: number }
  | { kind: 'open'; untilMs: number }
  /** `permitId` is undefined until the probe's permit is granted. */
  | { kind: 'probing'; permitId?: string };

export interface BreakerLimits {
  breakerFailures: number;
  breakerSeconds: number;
}

export const closedBreaker: Breaker = { kind: 'closed', failuresInRow: 0 };

export function advanceBreaker(breaker: Breaker, nowMs: number): Breaker {
  return breaker.kind === 'open' && breaker.untilMs <= nowMs ? { kind: 'probing' } : breaker;
}

export function mayGrant(breaker: Breaker): boolean {
  switch (breaker.kind) {
    case 'closed':
      return true;
    case 'open':
      return false;
    case 'probing':
      return breaker.permitId === undefined;
  }
}

export function recordGrant(breaker: Breaker, permitId: string): Breaker {
  return breaker.kind === 'probing' ? { kind: 'probing', permitId } : breaker;
}

/** If the breaker is not closed, only the probe counts: other calls began earlier. `lost`: the permit ended unreported. */
export function recordCall(
  breaker: Breaker,
  permitId: string,
  outcome: PermitReport['outcome']['kind'] | 'lost',
  limits: BreakerLimits,
  nowMs: number,
): Breaker {
  const open: Breaker = { kind: 'open', untilMs: nowMs + limits.breakerSeconds * 1000 };
  switch (breaker.kind) {
    case 'open':
      return breaker;
    case 'closed': {
      if (outcome === 'ok') return closedBreaker;
      if (outcome !== 'failed') return breaker;
      const failuresInRow = breaker.failuresInRow + 1;
      return failuresInRow >= limits.breakerFailures ? open : { kind: 'closed', failuresInRow };
    }
    case 'probing':
      if (breaker.permitId !== permitId) return breaker;
      if (outcome === 'ok') return closedBreaker;
      // A provider that answers with a rate limit is healthy.
      if (outcome === 'rate_limited') return closedBreaker;
      return outcome === 'failed' ? open : { kind: 'probing' };
  }
}
