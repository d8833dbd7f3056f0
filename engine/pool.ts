import pMap from 'p-map';

/** Work that ends soon after its signal is aborted. */
export type PoolTask<Result = void> = (signal: AbortSignal) => Promise<Result>;

/**
 * Runs the tasks in order, `width` at a time, and returns their results in that order. The first failure aborts the
 * other tasks. Returns or throws (the first failure, or the signal's reason) only after every task has ended: no process
 * or upload of a job survives its slot. p-map alone rejects while other tasks still run.
 */
export async function runPool<Result>(
  tasks: readonly PoolTask<Result>[],
  width: number,
  signal: AbortSignal,
): Promise<Result[]> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const run = async (task: PoolTask<Result>): Promise<Result | undefined> => {
    if (either.aborted) return undefined;
    try {
      return await task(either);
    } catch (error) {
      failure.abort(error);
      return undefined;
    }
  };
  const results = await pMap(tasks, run, { concurrency: Math.max(1, width) });
  signal.throwIfAborted();
  if (failure.signal.aborted) throw failure.signal.reason;
  return results as Result[];
}

/** Runs two tasks with different results side by side, as `runPool` does; with a width of 1, one after the other. */
export async function runBoth<One, Other>(
  one: PoolTask<One>,
  other: PoolTask<Other>,
  signal: AbortSignal,
  width: 1 | 2 = 2,
): Promise<[One, Other]> {
  return (await runPool<One | Other>([one, other], width, signal)) as [One, Other];
}
