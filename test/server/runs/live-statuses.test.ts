import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../client/run-record.ts';
import { LiveStatuses } from '../../../server/runs/live-statuses.ts';

const status = { phase: 'chunk', state: 'running', percent: 10, attempt: 1, elapsedSeconds: 0, budgetLeftSeconds: 1 };

function record(runId: string, more: Partial<RunRecord> = {}): RunRecord {
  const workflowType = 'chunking';
  return { workflowId: runId, runId, workflowType, taskQueue: 'q', startedAt: new Date(0), historyEvents: 3, ...more };
}

/** Fakes Temporal's queries; without `answers` they never resolve. */
function fakeClient(asked: string[], answers = true): Client {
  const query = (runId: string) => {
    asked.push(runId);
    return answers ? Promise.resolve(status) : new Promise(() => undefined);
  };
  return {
    withDeadline: (_: number, request: () => Promise<unknown>) => request(),
    withAbortSignal: (_: AbortSignal, request: () => Promise<unknown>) => request(),
    workflow: { getHandle: (_: string, runId: string) => ({ query: () => query(runId) }) },
  } as unknown as Client;
}

test('queries a run once for all callers, and never an ended or queued run', async () => {
  const asked: string[] = [];
  const statuses = new LiveStatuses(fakeClient(asked));
  const records = [record('a'), record('b', { state: 'waiting' }), record('c', { state: 'queued' })];
  records.push(record('d', { ending: 'completed' }), record('e', { ending: 'failed', state: 'running' }));
  const reads = await Promise.all(Array.from({ length: 50 }, () => statuses.read(records, 1_000)));
  reads.push(await statuses.read(records, 1_000));
  expect(asked.toSorted()).toEqual(['a', 'b']);
  for (const statusesRead of reads) expect([...statusesRead.keys()].toSorted()).toEqual(['a', 'b']);
});

test('stops waiting for workers after the given time', async () => {
  const statuses = new LiveStatuses(fakeClient([], false));
  expect(await statuses.read([record('a')], 1)).toEqual(new Map());
});
