import PQueue from 'p-queue';
import type { ServiceError } from '../errors.ts';

/** Sources that are fetched at a time. A slow one takes a connection and some disk and nothing else, so that many may be slow. */
const parallelLookups = 32;

/** Sources that are read by ffmpeg at a time, each by one thread. */
const parallelReads = 2;

export interface Lookup {
  signal: AbortSignal;
  /** Waits until the processor has room, and runs it then. */
  read<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** Looks at sources: they need no slot and are never refused for business; more than there is room for wait. */
export interface Lookups {
  /** Ends with `gone`, or by `endAll`; what it has begun has ended then. */
  run<Result>(look: (lookup: Lookup) => Promise<Result>, gone: AbortSignal): Promise<Result>;
  idle(): Promise<void>;
  endAll(reason: ServiceError): void;
}

/** `PQueue.add` gives a turn back as soon as its signal is aborted, while its process still runs; here it is the work that ends it. */
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
