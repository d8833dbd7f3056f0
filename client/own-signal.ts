/**
 * Runs the work with a signal of its own, which follows the given one until the work has ended. Temporal's SDK never
 * removes the listeners that it adds to a signal for each request. Node keeps a signal of `AbortSignal.any` that has
 * listeners, with all that they reference, until one of its sources is aborted.
 */
export async function withOwnSignal<Result>(
  signal: AbortSignal,
  work: (own: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
