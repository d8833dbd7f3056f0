import type { Client } from '@temporalio/client';
import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { readUsageTotals } from '../../client/run-usage.ts';
import { WorkTimes } from '../../server/queue/work-times.ts';
import { readPendingSteps } from '../../server/runs/pending-steps.ts';
import { readRunHistory } from '../../server/runs/read-history.ts';

const input = { sourceUrl: 'https://media.test/a.wav' };
const readable = defaultPayloadConverter.toPayload(input);
const encrypted = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('secret') };
const deleted = Object.assign(new Error('5 NOT_FOUND'), { code: 5, details: 'not found', metadata: {} });
const follows = { activityType: { name: 'followJob' }, heartbeatDetails: { payloads: [encrypted] } };
const queued = { activityType: { name: 'encode' }, state: 1, scheduledTime: { seconds: 60 } };

const started = (attributes: object) => ({ eventId: 1, workflowExecutionStartedEventAttributes: attributes });
const facts = (runId: string, more: object = {}) => ({
  execution: { workflowId: 'run', runId },
  type: { name: 'processing' },
  status: 2,
  historyLength: 300,
  startTime: { seconds: 1_764_000_000 },
  closeTime: { seconds: 1_764_000_060 },
  ...more,
});

/** A client of a Temporal server that has these runs in its list, and has deleted the run `first`. */
function clientOf(executions: object[]): Client {
  return {
    options: { namespace: 'default', loadedDataConverter: { ...defaultDataConverter, payloadCodecs: [] } },
    withDeadline: (_: number, ask: () => unknown) => ask(),
    workflowService: {
      listWorkflowExecutions: async () => ({ executions }),
      describeWorkflowExecution: async ({ execution: { runId } }: { execution: { runId: string } }) => {
        if (runId === 'first') throw deleted;
        const info = { memo: { fields: { sourceName: encrypted } } };
        return { pendingActivities: [follows, queued], workflowExecutionInfo: info };
      },
    },
    workflow: {
      getHandle: (_: string, runId: string) => ({
        fetchHistory: async () => {
          if (runId === 'first') throw deleted;
          const payload = runId === 'encrypted' ? encrypted : readable;
          return { events: [started({ continuedExecutionRunId: 'first', input: { payloads: [payload] } })] };
        },
      }),
    },
  } as unknown as Client;
}

test('a run is shown without its first execution after Temporal has deleted it', async () => {
  const client = clientOf([]);
  expect(await readRunHistory(client, 'run', 'second')).toEqual({ input, events: [], isComplete: false });
  await expect(readRunHistory(client, 'run', 'first')).rejects.toThrow('NOT_FOUND');
});

test('a deleted run and one with an unknown key have no part in the typical time of runs', async () => {
  const client = clientOf([facts('first'), facts('encrypted')]);
  expect(await new WorkTimes(client, 'holdfast').typicalSeconds()).toBeUndefined();
});

test('the usage counts a run with an unknown key as unmeasured', async () => {
  const client = clientOf([facts('encrypted', { memo: { fields: { usage: encrypted } } })]);
  const prices = { currency: 'EUR', perCpuHour: 0, perGbIn: 0, perGbOut: 0 };
  const period = { from: '2025-11-24', to: '2025-11-25' };
  const usage = await readUsageTotals(client, { taskQueue: 'holdfast', owner: undefined, period }, prices);
  expect(usage.total).toMatchObject({ runs: 1, unmeasured: 1 });
});

test('a step whose heartbeat has an unknown key, and a deleted run, are left out of the queue', async () => {
  expect(await readPendingSteps(clientOf([]), 'run', 'second')).toEqual([
    { kind: 'queued', scheduledMs: 60_000, priority: 3 },
  ]);
  expect(await readPendingSteps(clientOf([]), 'run', 'first')).toEqual([]);
});
