import { hasWorked, isAsleep, type GroupUse } from './process-activity.ts';

/** One check of a running process. */
export interface StallLook {
  nowMs: number;
  /** True if the media clock has moved since the previous check, or if that is unknown. */
  hasMoved: boolean;
  /** Undefined if the system does not report it. */
  use: GroupUse | undefined;
}

/** Share of the limit, and the least seconds, after which a process that is fast asleep has stalled. */
const asleepShare = 1 / 5;
const leastAsleepSeconds = 5;

/** Seconds after which a process has stalled that is asleep at every check. */
export const asleepSeconds = (limitSeconds: number): number => Math.max(leastAsleepSeconds, limitSeconds * asleepShare);

interface Standstill {
  sinceMs: number;
  use: GroupUse;
}

/**
 * Decides at each check whether a process has stalled, and returns the seconds for which it stood still.
 *
 * It has stalled if for the whole limit it neither moved its media clock nor read, wrote or computed. The media clock
 * alone is not enough: an encoder with lookahead, or a muxer that moves an index to the front of its file, works for
 * long without moving it. If the system does not report a process's activity, the media clock decides.
 *
 * A fifth of the limit is enough if all of its threads are asleep at every check. A starved thread is ready to run and a
 * thread that waits for a disk is uninterruptible, so neither of them is asleep. `isPiped`: the process exchanges data
 * with another one, for which it may wait asleep; only the whole limit applies.
 */
export function createStallJudge(
  limitSeconds: number,
  startMs: number,
  isPiped = false,
): (look: StallLook) => number | undefined {
  const quickSeconds = asleepSeconds(limitSeconds);
  /** The first check has nothing to compare with, so the process is presumed to have worked until then. */
  let still: Omit<Standstill, 'use'> & { use: GroupUse | undefined } = { sinceMs: startMs, use: undefined };
  let asleep: Standstill | undefined;
  return ({ nowMs, hasMoved, use }) => {
    if (hasMoved) {
      still = { sinceMs: nowMs, use: undefined };
      asleep = undefined;
      return undefined;
    }
    if (use !== undefined && (still.use === undefined || hasWorked(still.use, use, limitSeconds))) {
      still = { sinceMs: nowMs, use };
    }
    if (use === undefined || isPiped || !isAsleep(use)) asleep = undefined;
    else if (asleep === undefined || hasWorked(asleep.use, use, quickSeconds)) asleep = { sinceMs: nowMs, use };
    if (asleep !== undefined && nowMs - asleep.sinceMs >= quickSeconds * 1000) return quickSeconds;
    return nowMs - still.sinceMs >= limitSeconds * 1000 ? limitSeconds : undefined;
  };
}
