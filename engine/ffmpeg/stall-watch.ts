import { readGroupUse } from './process-activity.ts';
import { asleepSeconds, createStallJudge } from './stall-judge.ts';

/** Number of checks of the process within the shortest time that ends it. */
const looksWithinLimit = 6;

/** A timer that is this late means that this process was not running. A busy process is late by much less. */
const frozenAfterMs = 1000;

interface StallWatch {
  /** Records that the media clock has moved, so that the process need not be checked. */
  recordProgress(): void;
  stop(): void;
}

/** Calls `onStall` once the process has stalled (stall-judge.ts), with the seconds for which it stood still. */
export function watchForStall(
  pid: number,
  limitSeconds: number,
  onStall: (seconds: number) => void,
  isPiped = false,
): StallWatch {
  const intervalMs = (Math.min(limitSeconds, asleepSeconds(limitSeconds)) * 1000) / looksWithinLimit;
  const judge = createStallJudge(limitSeconds, performance.now(), isPiped);
  let clockMoved = false;
  let timer: NodeJS.Timeout;
  let isStopped = false;

  const look = async (dueMs: number): Promise<void> => {
    const nowMs = performance.now();
    // This process itself was frozen, as on a paused machine, and has yet to read ffmpeg's output.
    const hasMoved = clockMoved || nowMs - dueMs > frozenAfterMs;
    clockMoved = false;
    const seconds = judge({ nowMs, hasMoved, use: hasMoved ? undefined : await readGroupUse(pid) });
    if (isStopped) return;
    if (seconds === undefined) schedule();
    else onStall(seconds);
  };

  const schedule = (): void => {
    const dueMs = performance.now() + intervalMs;
    timer = setTimeout(() => void look(dueMs), intervalMs);
  };

  schedule();
  return {
    recordProgress() {
      clockMoved = true;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
