import { EventEmitter } from 'node:events';
import type { SlotQuery, SlotView } from '../../contract/http/slot.ts';
import type { Readiness } from './readiness.ts';
import type { Slots } from './slots.ts';

/** State of a lease. */
type Standing = Omit<SlotView, 'instanceId' | 'version'>;

interface LeasesDeps {
  slots: Slots;
  readiness: Readiness;
  /** A draining process holds no request: a held request would delay its end. */
  isDraining(): boolean;
  /** Longest time that a request is held. */
  holdMs?: number;
  /** The same limit while other leases wait: they would wait for a worker that is frozen or gone. */
  contestedHoldMs?: number;
  /** Time for which an absent worker's lease keeps its place. */
  absenceMs?: number;
}

export interface Leases {
  /**
   * Appends the lease to its line or keeps its place. Answers when its state differs from `known`, or after a while.
   */
  hold(query: SlotQuery, signal: AbortSignal): Promise<Standing>;
  /** Whether a slot is free for this lease now. */
  isGranted(id: string): boolean;
  /** Records that the lease's job has the slot. */
  use(id: string, jobId: string): void;
}

const readinessIntervalMs = 1_000;

interface Place {
  line: string | undefined;
  /** Number of held requests. */
  requests: number;
  absence: NodeJS.Timeout | undefined;
}

/**
 * Queues for the slot, so that several workers take turns. A lease ranks only against the leases of its queue: a
 * request without a lease, or of another queue, takes a free slot at any time, and the granted lease waits again.
 */
export function createLeases({
  slots,
  readiness,
  isDraining,
  holdMs = 10_000,
  contestedHoldMs = 3_000,
  absenceMs = 5_000,
}: LeasesDeps): Leases {
  /** Leases in order of arrival. */
  const places = new Map<string, Place>();
  const leasedJobs = new Set<string>();
  const changes = new EventEmitter().setMaxListeners(0);
  const tellAll = (): void => void changes.emit('change');
  slots.onChange(() => {
    for (const jobId of leasedJobs) if (!slots.activeIds.has(jobId)) leasedJobs.delete(jobId);
    tellAll();
  });

  const end = (id: string): void => {
    clearTimeout(places.get(id)?.absence);
    if (places.delete(id)) tellAll();
  };
  const idsInLine = (line: string | undefined): string[] =>
    [...places.keys()].filter((id) => places.get(id)?.line === line);
  const isGranted = (id: string): boolean => idsInLine(places.get(id)?.line).slice(0, slots.remaining).includes(id);

  const enter = (id: string, line: string | undefined): void => {
    const place = places.get(id) ?? { line, requests: 0, absence: undefined };
    clearTimeout(place.absence);
    place.requests += 1;
    places.set(id, place);
  };
  const stepBack = (id: string): void => {
    const place = places.get(id);
    if (place === undefined) return;
    place.requests -= 1;
    if (place.requests === 0) place.absence = setTimeout(() => end(id), absenceMs).unref();
  };

  const standingOf = async (id: string): Promise<Standing> => {
    const reason = await readiness();
    if (reason !== undefined) return { state: 'not_ready', reason };
    if (isGranted(id)) return { state: 'granted' };
    return { state: [...slots.activeIds].every((jobId) => leasedJobs.has(jobId)) ? 'waiting' : 'taken' };
  };
  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        changes.off('change', wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      changes.on('change', wake);
      signal.addEventListener('abort', wake);
    });

  return {
    isGranted,
    use(id, jobId) {
      leasedJobs.add(jobId);
      end(id);
    },
    async hold({ lease: id, line, known }, signal) {
      const startedMs = performance.now();
      const remainingMs = (): number =>
        startedMs + (idsInLine(line).length > 1 ? contestedHoldMs : holdMs) - performance.now();
      enter(id, line);
      try {
        for (;;) {
          // The listener is registered before the check, because the check takes a moment.
          const changed = pause(Math.max(0, Math.min(readinessIntervalMs, remainingMs())), signal);
          const standing = await standingOf(id);
          const isOver = signal.aborted || isDraining() || remainingMs() <= 0;
          if (isOver || standing.state !== known) return standing;
          await changed;
        }
      } finally {
        // A closed connection gives the lease up.
        if (signal.aborted) end(id);
        else stepBack(id);
      }
    },
  };
}
