import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Interval at which the memory is looked at while transfers run. */
const intervalMs = 5;
/** Growth that is worth a collection, which takes less than a millisecond. */
const grownBytes = 8 * 1024 ** 2;

/**
 * Collects the buffers of bytes that have passed through, while transfers run. V8 counts only their small handles when it
 * decides whether to collect its young objects, and keeps 60 MiB of dead buffers and more.
 */
export class DeadBuffers {
  #transfers = 0;
  #looking: NodeJS.Timeout | undefined;
  /** Least since the last collection. */
  #leastBytes = Infinity;

  /** Begins a transfer; the returned function ends it. */
  begin(): () => void {
    this.#transfers += 1;
    this.#looking ??= setInterval(() => this.#look(), intervalMs);
    return () => {
      this.#transfers -= 1;
      if (this.#transfers > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    };
  }

  #look(): void {
    const bytes = bufferBytes();
    // V8 frees the buffers of a collection some time after it.
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (bytes - this.#leastBytes < grownBytes) return;
    collectYoung();
    this.#leastBytes = bufferBytes();
  }
}

/** Bytes of all buffers, dead or alive. */
function bufferBytes(): number {
  return getHeapStatistics().external_memory;
}

/** Collects the young objects of this thread. V8 offers that only by a flag, from which new contexts take the function. */
const collectYoung = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  setFlagsFromString('--no-expose-gc');
  return () => collect({ type: 'minor' });
})();
