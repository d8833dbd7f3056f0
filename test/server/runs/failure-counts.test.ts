import type { Client } from '@temporalio/client';
import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { FailureCounts } from '../../../server/runs/failure-counts.ts';
import { RunFailures } from '../../../server/runs/run-failures.ts';

const { WorkflowExecutionStatus: Status, HistoryEventFilterType: Filter } = proto.temporal.api.enums.v1;

interface Ended {
  id: string;
  atSeconds: number;
  status?: number;
  last?: object;
}

function failedBy(type: string): object {
  return { workflowExecutionFailedEventAttributes: { failure: { applicationFailureInfo: { type } } } };
}

const ended: Ended[] = [
  { id: 'a', atSeconds: 10, last: failedBy('SourceNotFound') },
  { id: 'b', atSeconds: 30, last: failedBy('UndecodableSource') },
  { id: 'c', atSeconds: 20, last: failedBy('UndecodableSource') },
  {
    id: 'd',
    atSeconds: 40,
    status: Status.WORKFLOW_EXECUTION_STATUS_TERMINATED,
    last: { workflowExecutionTerminatedEventAttributes: {} },
  },
  {
    id: 'e',
    atSeconds: 50,
    status: Status.WORKFLOW_EXECUTION_STATUS_TIMED_OUT,
    last: { workflowExecutionTimedOutEventAttributes: {} },
  },
  {
    id: 'f',
    atSeconds: 60,
    status: Status.WORKFLOW_EXECUTION_STATUS_COMPLETED,
    last: {
      workflowExecutionCompletedEventAttributes: {
        result: {
          payloads: [defaultPayloadConverter.toPayload({ status: 'failed', failedChunks: 2, totalChunks: 2 })],
        },
      },
    },
  },
];

/** Fakes Temporal; the first `lost` reads of a close event fail. */
function fakeClient(read: string[], lost = 0): Client {
  const info = ({ id, atSeconds, status = Status.WORKFLOW_EXECUTION_STATUS_FAILED }: Ended) => ({
    execution: { workflowId: id, runId: `run ${id}` },
    type: { name: 'encode' },
    status,
    closeTime: { seconds: atSeconds, nanos: 0 },
  });
  return {
    options: { namespace: 'default', loadedDataConverter: { ...defaultDataConverter, payloadCodecs: [] } },
    withDeadline: (_: number, request: () => Promise<unknown>) => request(),
    workflow: { count: (query: string) => Promise.resolve({ count: query.includes(`'Failed'`) ? 6 : 100 }) },
    workflowService: {
      listWorkflowExecutions: () => Promise.resolve({ executions: ended.map(info) }),
      getWorkflowExecutionHistory: (request: { execution: { workflowId: string }; historyEventFilterType: number }) => {
        expect(request.historyEventFilterType).toBe(Filter.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT);
        const { workflowId } = request.execution;
        read.push(workflowId);
        if (read.length <= lost) return Promise.reject(new Error('lost'));
        return Promise.resolve({ history: { events: [ended.find(({ id }) => id === workflowId)?.last] } });
      },
    },
  } as unknown as Client;
}

const countsOf = (client: Client) => new FailureCounts(client, 'q', new RunFailures(client));

const counts = [
  { type: 'UndecodableSource', count: 2, lastRun: 'b', lastAt: new Date(30_000).toISOString() },
  { type: 'ProviderFailed', count: 1, lastRun: 'f', lastAt: new Date(60_000).toISOString() },
  { type: 'TimedOut', count: 1, lastRun: 'e', lastAt: new Date(50_000).toISOString() },
  { type: 'Terminated', count: 1, lastRun: 'd', lastAt: new Date(40_000).toISOString() },
  { type: 'SourceNotFound', count: 1, lastRun: 'a', lastAt: new Date(10_000).toISOString() },
];

test('counts failed runs by error and reads each close event once for all callers', async () => {
  const read: string[] = [];
  const failures = countsOf(fakeClient(read));
  const asks = [1, 2, 3].map(async () => failures.since(new Date(0), undefined));
  for (const view of [...(await Promise.all(asks)), await failures.since(new Date(0), undefined)]) {
    expect(view).toEqual({ since: new Date(0).toISOString(), ended: 100, failed: 6, errors: counts });
  }
  expect(read.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('reads a close event again after a failed read', async () => {
  const failures = countsOf(fakeClient([], 1));
  await expect(failures.since(new Date(0), undefined)).rejects.toThrow('lost');
  expect((await failures.since(new Date(0), undefined)).errors).toEqual(counts);
});
