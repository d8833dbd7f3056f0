import type { AttemptContext, TimedResult } from '../../contract/activity.ts';
import { Attempt } from './attempt.ts';
import { handleAbort } from './handle-abort.ts';
import type { ContainerClients } from './client.ts';
import { ContainerAnswer } from './errors.ts';
import { attemptFailure } from './failures.ts';

/** The frame of the activities that are attempts: starts from what the last attempt left, ends with a result or with one named failure. */
export async function runAttempt<Result>(
  context: AttemptContext,
  clients: ContainerClients,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<TimedResult<Result>> {
  const attempt = new Attempt(context);
  try {
    const result = await work(attempt);
    return { result, ranMs: attempt.ranMs() };
  } catch (error) {
    // Checked first: whatever an abort interrupts looks like a lost connection.
    if (attempt.signal.aborted) throw await handleAbort(attempt, clients);
    if (error instanceof ContainerAnswer && error.cancelled) await attempt.cancelWorkflow();
    throw attemptFailure(error, attempt.ranMs(), attempt.state);
  } finally {
    await attempt.flushProgress();
  }
}
