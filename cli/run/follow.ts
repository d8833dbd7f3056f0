import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Progress } from '../progress/progress.ts';
import { liveStatus } from './live-status.ts';

const everyMs = 500;

/** Shows the run's status until it has ended, and gives its result in the moment it is there. */
export async function follow(
  client: Client,
  handle: WorkflowHandle,
  progress: Progress,
  isOneStep: boolean,
): Promise<unknown> {
  const ended = new AbortController();
  const result = handle.result().finally(() => ended.abort());
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  for (let pauseMs = 150; !ended.signal.aborted; pauseMs = everyMs) {
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, pauseMs).unref())]);
    const status = await Promise.race([settled, liveStatus(client, handle, isOneStep)]);
    if (status !== undefined && !ended.signal.aborted) progress.show(status);
  }
  return await result;
}
