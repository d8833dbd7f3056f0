import PQueue from 'p-queue';
import type { ServiceError } from '../errors.ts';

/** Sources that are fetched at a time. A slow source costs one connection and some disk, so there may be many. */
const parallelLookups = 32;

/** Sources that ffmpeg reads at a time, with one thread each. */
const parallelReads = 2;

export interface Lookup {
  signal: AbortSignal;
  /** Runs when the processor has room. */
  read<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** Inspections of sources. They need no slot and are never refused as busy; excess ones wait. */
export interface Lookups {
  /** Ends with `gone` or by `endAll`; all its work has ended by then. */
  run<Result>(look: (lookup: Lookup) => Promise<Result>, gone: AbortSignal): Promise<Result>;
  idle(): Promise<void>;
  endAll(reason: ServiceError): void;
}

/**
 * `PQueue.add` frees a place as soon as its signal is aborted, while the process still runs. Here the place is free
 * when the work ends.
 */
async function takeTurn<Result>(queue: PQueue, signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  const waiting = new AbortController();
  const leave = (): void => waiting.abort(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave);
  const begin = async (): Promise<Result> => {
    signal.removeEventListener('abort', leave);
    signal.throwIfAborted();
    return await run();
  };
  return await queue.add(begin, { signal: waiting.signal });
}

export function createLookups(): Lookups {
  const lookups = new PQueue({ concurrency: parallelLookups });
  const reads = new PQueue({ concurrency: parallelReads });
  const end = new AbortController();
  return {
    async run(look, gone) {
      const signal = AbortSignal.any([gone, end.signal]);
      return await takeTurn(lookups, signal, () => look({ signal, read: (run) => takeTurn(reads, signal, run) }));
    },
    idle: () => lookups.onIdle(),
    endAll: (reason) => end.abort(reason),
  };
}
