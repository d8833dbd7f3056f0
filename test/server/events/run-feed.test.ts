import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RunFeed, type RunFeedOptions } from '../../../server/events/run-feed.ts';
import { FileNames } from '../../../server/files/file-names.ts';

const { WorkflowExecutionStatus: Status } = proto.temporal.api.enums.v1;

interface Run {
  id: string;
  /** Default: the id. */
  runId?: string;
  startedMs: number;
  endedMs?: number;
}

const timeOf = (ms: number) => ({ seconds: Math.floor(ms / 1000), nanos: 0 });

function executionOf({ id, runId = id, startedMs, endedMs }: Run) {
  return {
    execution: { workflowId: id, runId },
    type: { name: 'encode' },
    taskQueue: 'q',
    startTime: timeOf(startedMs),
    ...(endedMs !== undefined && { closeTime: timeOf(endedMs) }),
    status:
      endedMs === undefined ? Status.WORKFLOW_EXECUTION_STATUS_RUNNING : Status.WORKFLOW_EXECUTION_STATUS_COMPLETED,
  };
}

/** Fakes the lists of Temporal, newest first. */
function listing(runs: readonly Run[], query: string, pageSize: number) {
  const since = Date.parse(/CloseTime >= '([^']+)'/.exec(query)?.[1] ?? new Date(0).toISOString());
  const isActive = query.includes(`ExecutionStatus = 'Running'`);
  const found = runs.filter(({ endedMs }) => (isActive ? endedMs === undefined : (endedMs ?? -1) >= since));
  const executions = found
    .toSorted((a, b) => (b.endedMs ?? 0) - (a.endedMs ?? 0))
    .slice(0, pageSize)
    .map(executionOf);
  return { executions };
}

/** A feed of the runs; `runs` may change. */
function feedOf(runs: readonly Run[]): RunFeed {
  const client = {
    options: { namespace: 'default' },
    withDeadline: async (_: number, request: () => Promise<unknown>) => await request(),
    workflowService: {
      listWorkflowExecutions: async ({ query, pageSize }: { query: string; pageSize: number }) =>
        listing(runs, query, pageSize),
    },
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => ({ raw: { workflowExecutionInfo: executionOf(runs.find((run) => run.id === id)!) } }),
      }),
    },
  };
  const options = {
    client: client as unknown as Client,
    taskQueue: 'q',
    statuses: { read: async () => new Map() },
    failures: { within: async () => new Map() },
    line: { places: async () => new Map() },
    names: new FileNames(),
    log: pino({ enabled: false }),
  } as unknown as RunFeedOptions;
  return new RunFeed(options);
}

const minuteMs = 60_000;

test.each([-10, 0, 10])('reports the end of runs if Temporal’s clock is %d minutes off', async (minutes) => {
  const nowMs = () => Date.now() + minutes * minuteMs;
  const runs: Run[] = [
    { id: 'earlier', startedMs: nowMs() - 5 * minuteMs, endedMs: nowMs() - 4 * minuteMs },
    { id: 'open', startedMs: nowMs() - 3 * minuteMs },
  ];
  const feed = feedOf(runs);
  const changes: string[] = [];
  feed.subscribe(({ run }) => changes.push(`${run.id} ${run.state}`));
  await feed.start();
  runs[1]!.endedMs = nowMs();
  runs.push({ id: 'short', startedMs: nowMs(), endedMs: nowMs() });
  await expect.poll(() => changes.toSorted()).toEqual(['open succeeded', 'short succeeded']);
  feed.stop();
});

test('reports the end of a run that Temporal lists a minute late', async () => {
  const runs: Run[] = [{ id: 'late', startedMs: Date.now() - 3 * minuteMs }];
  const feed = feedOf(runs);
  const changes: string[] = [];
  feed.subscribe(({ run }) => changes.push(`${run.id} ${run.state}`));
  await feed.start();
  runs.push({ id: 'next', startedMs: Date.now() });
  await expect.poll(() => changes).toEqual(['next running']);
  // Temporal has listed the run as active until now.
  runs[0]!.endedMs = Date.now() - minuteMs;
  await expect.poll(() => changes).toEqual(['next running', 'late succeeded']);
  feed.stop();
});

test('reports the ends of earlier runs of an id before its open run', async () => {
  const nowMs = Date.now();
  const runs: Run[] = [{ id: 'other', startedMs: nowMs }];
  const feed = feedOf(runs);
  const changes: string[] = [];
  feed.subscribe(({ run }) => changes.push(`${run.runId} ${run.state}`));
  await feed.start();
  runs.push(
    { id: 'nightly', runId: 'third', startedMs: nowMs + 3_000 },
    { id: 'nightly', runId: 'second', startedMs: nowMs + 2_000, endedMs: nowMs + 3_000 },
    { id: 'nightly', runId: 'first', startedMs: nowMs + 1_000, endedMs: nowMs + 2_000 },
  );
  await expect.poll(() => changes.length).toBe(3);
  expect(changes).toEqual(['first succeeded', 'second succeeded', 'third running']);
  feed.stop();
});
