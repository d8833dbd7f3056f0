/** Keeps a provider that only fails from being asked: open for a time, then one probe decides. */
export type Breaker =
  | { kind: 'closed'; failuresInRow: number }
  | { kind: 'open'; untilMs: number }
  /** `permitId` is undefined until the probe has gone out. */
  | { kind: 'probing'; permitId?: string };

export interface BreakerLimits {
  breakerFailures: number;
  breakerSeconds: number;
}

export const closedBreaker: Breaker = { kind: 'closed', failuresInRow: 0 };

export function afterTime(breaker: Breaker, nowMs: number): Breaker {
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

export function afterGrant(breaker: Breaker, permitId: string): Breaker {
  return breaker.kind === 'probing' ? { kind: 'probing', permitId } : breaker;
}

/** Where the breaker is not closed, only the probe's word counts: the others began before. `lost` is a permit that nobody reported. */
export function afterCall(
  breaker: Breaker,
  permitId: string,
  outcome: 'ok' | 'failed' | 'rate_limited' | 'unused' | 'lost',
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
      // A rate limit is an answer of a provider that works.
      if (outcome === 'rate_limited') return closedBreaker;
      return outcome === 'failed' ? open : { kind: 'probing' };
  }
}
