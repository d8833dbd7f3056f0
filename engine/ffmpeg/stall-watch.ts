import { hasWorked, readGroupUse, type GroupUse } from './process-activity.ts';

/** Number of checks of the process within the stall limit. */
const looksWithinLimit = 8;

/** A timer that is this late means that this process was not running. A busy process is late by much less. */
const frozenAfterMs = 1000;

interface StallWatch {
  /** Records that the media clock has moved, so that the process need not be checked. */
  recordProgress(): void;
  stop(): void;
}

/**
 * Calls `onStall` once the process has, for the whole limit, neither moved its media clock nor read, written or
 * computed. The media clock alone is not enough: an encoder with lookahead, or a muxer that moves an index to the front
 * of its file, works for long without moving it. If the system does not report a process's activity, the media clock
 * decides.
 */
export function watchForStall(pid: number, limitSeconds: number, onStall: () => void): StallWatch {
  const intervalMs = (limitSeconds * 1000) / looksWithinLimit;
  /** Time at which the process last worked, and its resources at that time, if they were read. */
  let moved: { atMs: number; use: GroupUse | undefined } = { atMs: performance.now(), use: undefined };
  let clockMoved = false;
  let timer: NodeJS.Timeout;
  let isStopped = false;

  const look = async (dueMs: number): Promise<void> => {
    const nowMs = performance.now();
    // This process itself was frozen, as on a paused machine, and has yet to read ffmpeg's output.
    const wasFrozen = nowMs - dueMs > frozenAfterMs;
    if (wasFrozen || clockMoved) {
      clockMoved = false;
      moved = { atMs: nowMs, use: undefined };
      return;
    }
    const use = await readGroupUse(pid);
    if (use === undefined) return;
    // The first check has nothing to compare with, so the process is presumed to work.
    if (moved.use === undefined || hasWorked(moved.use, use, limitSeconds)) moved = { atMs: nowMs, use };
  };

  const schedule = (): void => {
    const dueMs = performance.now() + intervalMs;
    timer = setTimeout(() => void look(dueMs).then(decide), intervalMs);
  };

  const decide = (): void => {
    if (isStopped) return;
    if (performance.now() - moved.atMs >= limitSeconds * 1000) onStall();
    else schedule();
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
