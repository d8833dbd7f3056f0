import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ActivityNotFoundError } from '@temporalio/client';

/** Without the server's word the activity goes on: its run is there all the same. */
const answerTimeoutMs = 3_000;

/**
 * Before something is begun that must not be begun twice: has the server know the details of the heartbeat, since a heartbeat is kept
 * back for up to a second and lost with this worker. Throws where the server has given the activity up, or to another worker,
 * as after a time in which this one was frozen.
 */
export async function confirmActivity(details?: unknown): Promise<void> {
  const context = Context.current();
  context.heartbeat(details);
  try {
    const { client, info } = context;
    await client.withDeadline(Date.now() + answerTimeoutMs, () => client.activity.heartbeat(info.taskToken, details));
  } catch (error) {
    if (error instanceof ActivityNotFoundError) throw takenOver();
    context.log.debug('The server could not be asked about the activity', { error });
  }
}

/** Nobody reads it: the server takes the activity's end from the worker that has it now. */
function takenOver(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'TakenOver',
    message: 'Another worker has this activity now',
    category: 'BENIGN',
  });
}
