import type { AttemptContext, TimedResult } from '../../contract/activity.ts';
import { Attempt } from './attempt.ts';
import { endOfAborted } from './cancelled-attempt.ts';
import type { ContainerClients } from './client.ts';
import { ContainerAnswer } from './errors.ts';
import { attemptFailure } from './failures.ts';

/** The entry of the activities that are attempts: in with what the last one left, out with a result or with one named failure. */
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
    // Asked first: everything that an abort breaks off looks like a lost connection.
    if (attempt.signal.aborted) throw await endOfAborted(attempt, clients);
    if (error instanceof ContainerAnswer && error.cancelled) await attempt.cancelWorkflow();
    throw attemptFailure(error, attempt.ranMs(), attempt.carry);
  } finally {
    await attempt.told();
  }
}
