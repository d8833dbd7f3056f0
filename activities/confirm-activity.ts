import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ActivityNotFoundError } from '@temporalio/client';

/** If the server does not answer in time, the activity continues: its run still exists. */
const answerTimeoutMs = 3_000;

const takenOver = 'TakenOver';

/** True if another worker has the activity, and with it the job. This worker must leave the job alone. */
export function isTakenOver(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === takenOver;
}

/**
 * Sends the heartbeat details to the server before work that must not start twice: a normal heartbeat may be delayed by
 * a second and is lost with this worker. Throws if the server has ended the activity or moved it to another worker, for
 * example while this worker was frozen.
 */
export async function confirmActivity(details?: unknown): Promise<void> {
  const context = Context.current();
  context.heartbeat(details);
  try {
    const { client, info } = context;
    await client.withDeadline(Date.now() + answerTimeoutMs, () => client.activity.heartbeat(info.taskToken, details));
  } catch (error) {
    // The server discards this failure, because the activity belongs to another worker.
    if (error instanceof ActivityNotFoundError) {
      const message = 'Another worker has taken over this activity';
      throw ApplicationFailure.create({ type: takenOver, message, category: 'BENIGN' });
    }
    context.log.debug('Could not confirm the activity at the server', { error });
  }
}
