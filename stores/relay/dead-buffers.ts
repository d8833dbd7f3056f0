import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory is measured this often while transfers run. */
const intervalMs = 5;
/** Growth after which the buffers are collected, which takes less than a millisecond. */
const grownBytes = 8 * 1024 ** 2;

/**
 * Frees, while transfers run, the buffers whose bytes have been passed on. V8 counts only the small handles of buffers
 * when it decides whether to collect its young objects, so it would keep more than 60 MiB of dead buffers.
 */
export class DeadBuffers {
  readonly #collectYoung = youngCollector();
  #transfers = 0;
  #looking: NodeJS.Timeout | undefined;
  /** The fewest bytes since the last collection. */
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
    // V8 frees the collected buffers some time after the collection.
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (bytes - this.#leastBytes < grownBytes) return;
    this.#collectYoung();
    this.#leastBytes = bufferBytes();
  }
}

/** Bytes of all buffers, dead or alive. */
function bufferBytes(): number {
  return getHeapStatistics().external_memory;
}

/** Returns V8's function that collects the young objects of this thread. Only a context made under the flag has it. */
function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  setFlagsFromString('--no-expose-gc');
  return () => collect({ type: 'minor' });
}
