/** Work that ends soon after its signal is aborted. */
export type PoolTask<Result = void> = (signal: AbortSignal) => Promise<Result>;

/**
 * Runs the tasks in order, `width` at a time, and returns their results in that order. If one fails, all others are
 * aborted. Returns or throws (the first failure, or the signal's reason) only when no task is running, so that a job
 * has no processes or uploads left when its slot is freed.
 */
export async function runPool<Result>(
  tasks: readonly PoolTask<Result>[],
  width: number,
  signal: AbortSignal,
): Promise<Result[]> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const results: Result[] = [];
  const queue = tasks.entries();
  const work = async (): Promise<void> => {
    for (const [index, task] of queue) {
      if (either.aborted) return;
      try {
        results[index] = await task(either);
      } catch (error) {
        failure.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  signal.throwIfAborted();
  if (failure.signal.aborted) throw failure.signal.reason;
  return results;
}
