import { hasWorked, readGroupUse, type GroupUse } from './process-activity.ts';

/** How often the process is looked at within the stall limit. */
const looksWithinLimit = 8;

/** A timer that is this late means that this process was not running; a busy one is late by much less. */
const frozenAfterMs = 1000;

interface StallWatch {
  /** The media clock has moved: no need to look at the process. */
  recordProgress(): void;
  stop(): void;
}

/**
 * Calls `onStall` once the process has neither moved its media clock nor read, written or computed for the limit. The
 * media clock alone would not do: an encoder that looks ahead, or a muxer that moves an index to the front of its file,
 * works for long without it. Where the system does not tell what a process does, the media clock has to do.
 */
export function watchForStall(pid: number, limitSeconds: number, onStall: () => void): StallWatch {
  const intervalMs = (limitSeconds * 1000) / looksWithinLimit;
  /** When the process was last known to work, and what it had used by then, where that was looked at. */
  let moved: { atMs: number; use: GroupUse | undefined } = { atMs: performance.now(), use: undefined };
  let clockMoved = false;
  let timer: NodeJS.Timeout;
  let isStopped = false;

  const look = async (dueMs: number): Promise<void> => {
    const nowMs = performance.now();
    // Then this process was frozen itself, as on a paused machine, and has yet to read what ffmpeg wrote meanwhile.
    const wasFrozen = nowMs - dueMs > frozenAfterMs;
    if (wasFrozen || clockMoved) {
      clockMoved = false;
      moved = { atMs: nowMs, use: undefined };
      return;
    }
    const use = await readGroupUse(pid);
    if (use === undefined) return;
    // The first look has nothing to compare with, so the process gets the benefit of the doubt.
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
