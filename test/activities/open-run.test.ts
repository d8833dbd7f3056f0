import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { isActivityPaused, isRunOpen } from '../../activities/open-run.ts';

interface Execution {
  runId: string;
  status: string;
  firstRunId: string;
  endedMs?: number;
}

/** A client of a server with these executions of one workflow, the latest last. */
function clientOf(...executions: Execution[]): Client {
  const describe = async (runId?: string) => {
    const found = executions.findLast((one) => runId === undefined || one.runId === runId);
    if (found === undefined) throw new WorkflowNotFoundError('not found', 'talk', runId);
    const { status, endedMs, firstRunId } = found;
    const closeTime = endedMs === undefined ? undefined : new Date(endedMs);
    return { runId: found.runId, status: { name: status }, closeTime, raw: { workflowExecutionInfo: { firstRunId } } };
  };
  return {
    withAbortSignal: async (_: AbortSignal, ask: () => unknown) => await ask(),
    workflow: { getHandle: (_: string, runId?: string) => ({ describe: async () => await describe(runId) }) },
  } as unknown as Client;
}

const run = { workflowId: 'talk', runId: 'one' };
const one = { runId: 'one', status: 'RUNNING', firstRunId: 'one' };
const ended = (secondsAgo: number) => ({ ...one, status: 'CANCELLED', endedMs: Date.now() - secondsAgo * 1000 });

test.each<[boolean, string, Execution[], number?]>([
  [true, 'runs', [one]],
  [true, 'is paused', [{ ...one, status: 'PAUSED' }]],
  [false, 'has ended', [ended(1)]],
  [false, 'has ended by a clock minutes ahead of the worker', [ended(-300)]],
  [true, 'has ended within the grace', [ended(30)], 60_000],
  [false, 'has ended before the grace', [ended(90)], 60_000],
  [true, 'was reset or continued as new', [ended(1), { ...one, runId: 'two' }]],
  [false, 'has ended, and a new workflow has its id', [ended(1), { ...one, runId: 'two', firstRunId: 'two' }]],
  [false, 'was removed', []],
])('answers %s for a run that %s', async (isOpen, _what, executions, graceMs) => {
  expect(await isRunOpen(clientOf(...executions), run, graceMs)).toBe(isOpen);
});

test('rejects if the server does not answer, because the run may be open', async () => {
  const client = { withAbortSignal: async () => await Promise.reject(new Error('no connection')) } as unknown as Client;
  await expect(isRunOpen(client, run)).rejects.toThrow('no connection');
});

test('no activity of a removed run is paused', async () => {
  expect(await isActivityPaused(clientOf(), run, '1')).toBe(false);
});
