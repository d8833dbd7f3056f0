/** Work that ends soon after its signal is aborted. */
export type PoolTask = (signal: AbortSignal) => Promise<void>;

/**
 * Runs the tasks in their order, `width` at a time. When one fails all others are aborted. Returns or throws (the first
 * failure, or the signal's reason) only when no task is left running.
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
