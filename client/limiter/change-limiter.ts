import type { LimiterDetails, LimitsOverride, ThrottleOverride } from '../../contract/limiter.ts';
import { ClientError } from '../client-error.ts';
import type { LimiterHandle } from './limiter-handle.ts';

export interface LimiterChange {
  /** null removes an override. */
  limits?: LimitsOverride | undefined;
  throttle?: ThrottleOverride | undefined;
  resume?: boolean | undefined;
}

/** Applies the changes in sequence, each once the details show the previous one; returns the final details. */
export async function changeLimiter(
  handle: LimiterHandle,
  { limits, throttle, resume = false }: LimiterChange,
): Promise<LimiterDetails> {
  const before = await handle.details();
  let details = before;
  if (limits !== undefined) {
    assertCallFitsPermit(limits, before);
    await handle.setLimits(limits);
    const wanted = Object.entries(limits) as [keyof LimitsOverride, number | null][];
    details = await handle.waitForDetails(({ override }) =>
      wanted.every(([name, value]) => (override[name] ?? null) === value),
    );
  }
  const untilBefore = before.stats.throttle_until;
  if (throttle !== undefined) {
    const overAtMs = Date.now() + throttle.seconds * 1000;
    await handle.throttle(throttle);
    details = await handle.waitForDetails(
      ({ stats }) => (stats.throttled && stats.throttle_until !== untilBefore) || Date.now() >= overAtMs,
    );
  }
  if (resume) {
    const openUntilBefore = before.breaker.until;
    await handle.resume();
    details = await handle.waitForDetails(
      ({ stats, breaker }) =>
        // A throttle or open breaker with another end began after the signal.
        (!stats.throttled || stats.throttle_until !== untilBefore) &&
        (breaker.state === 'closed' || breaker.until !== openUntilBefore),
    );
  }
  return details;
}

/** A permit that expires before its call can start would be granted and returned forever. */
function assertCallFitsPermit({ permitSeconds }: LimitsOverride, { settings }: LimiterDetails): void {
  const least = settings.permitSeconds;
  if (permitSeconds === undefined || permitSeconds === null || permitSeconds >= least) return;
  throw new ClientError(
    { kind: 'permit_too_short' },
    `An override of permitSeconds must be at least ${least}, the worker's setting: a call must fit into its permit.`,
  );
}
