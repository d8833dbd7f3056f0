import type { Client, WorkflowHandle } from '@temporalio/client';
import { statusQuery } from '../../contract/names.ts';
import type { WorkflowStatus } from '../../contract/workflow.ts';
import type { Progress } from '../progress/progress.ts';

const everyMs = 500;
/** A worker that is busy or gone lets a query wait for ten seconds; the next one is worth more than its late answer. */
const queryDeadlineMs = 3_000;

/** Shows the run's status until it has ended, and gives its result in the moment it is there. */
export async function follow(client: Client, handle: WorkflowHandle, progress: Progress): Promise<unknown> {
  const ended = new AbortController();
  const result = handle.result().finally(() => ended.abort());
  // Awaited below, but it may reject while we still ask.
  result.catch(() => undefined);
  for (let pauseMs = 150; !ended.signal.aborted; pauseMs = everyMs) {
    await pause(pauseMs, ended.signal);
    if (ended.signal.aborted) break;
    const status = await Promise.race([
      queryStatus(client, handle),
      result.then(
        () => undefined,
        () => undefined,
      ),
    ]);
    if (status !== undefined && !ended.signal.aborted) progress.show(status);
  }
  return await result;
}

/** Undefined where nobody answers at the moment: progress is a courtesy, the result is not. */
async function queryStatus(client: Client, handle: WorkflowHandle): Promise<WorkflowStatus | undefined> {
  try {
    return await client.withDeadline(Date.now() + queryDeadlineMs, () => handle.query<WorkflowStatus>(statusQuery));
  } catch {
    return undefined;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
