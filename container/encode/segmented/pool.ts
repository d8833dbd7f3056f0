/** Work that ends soon after its signal is aborted. */
export type PoolTask = (signal: AbortSignal) => Promise<void>;

/**
 * Does the tasks in their order, `width` at a time. When one fails all others are ended; answers or throws (the first
 * failure, or the signal's reason) only when none is left.
 */
export async function runPool(tasks: readonly PoolTask[], width: number, signal: AbortSignal): Promise<void> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const queue = tasks.values();
  const work = async (): Promise<void> => {
    for (const task of queue) {
      if (either.aborted) return;
      try {
        await task(either);
      } catch (error) {
        failure.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  signal.throwIfAborted();
  if (failure.signal.aborted) throw failure.signal.reason;
}
