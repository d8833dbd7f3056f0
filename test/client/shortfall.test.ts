import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { listRunsOf } from '../../client/list-runs.ts';
import { readRunDetails } from '../../client/run-details.ts';
import { readShortfall } from '../../client/shortfall.ts';

const { WORKFLOW_EXECUTION_STATUS_COMPLETED } = proto.temporal.api.enums.v1.WorkflowExecutionStatus;

const cut = { start: 0, duration: 60, size: 1000, sha256: 'b', url: 's3://media/chunk.ogg' };
const completed = { status: 'completed' };
const failed = (error: string) => ({ status: 'failed', error });

/** A result with these chunks; `inline` false: they are too many for a result. */
function outcomeOf(chunks: { status: string }[], inline = true) {
  const failedChunks = chunks.filter(({ status }) => status === 'failed').length;
  const status = failedChunks === 0 ? 'completed' : failedChunks === chunks.length ? 'failed' : 'partial';
  const listed = chunks.map((chunk, index) => ({ ...cut, index, ...chunk }));
  return { status, failedChunks, totalChunks: chunks.length, ...(inline && { chunks: listed }) };
}

const some = outcomeOf([failed('timeout'), completed, failed('http_400'), failed('timeout')]);
const someFailed = '3 of 4 chunks failed: timeout, http_400';

test.each([
  ['some chunks, each error once', some, { type: 'ChunksFailed', message: someFailed }],
  [
    'all chunks',
    outcomeOf([failed('http_400'), failed('http_400')]),
    { type: 'ProviderFailed', message: '2 of 2 chunks failed: http_400' },
  ],
  [
    'chunks that are too many for a result',
    outcomeOf([failed('http_400'), completed], false),
    { type: 'ChunksFailed', message: '1 of 2 chunks failed' },
  ],
  ['no chunk', outcomeOf([completed]), undefined],
  ['no chunk, in a result of another workflow', { outputs: [] }, undefined],
])('describes a run that has a result and lacks %s', (_, outcome, failure) => {
  expect(readShortfall(outcome)).toEqual(failure);
});

/** Fakes Temporal with one run that has completed. */
function fakeClient(state: string, outcome: object): Client {
  const workflowExecutionInfo = {
    execution: { workflowId: 'run', runId: 'run' },
    type: { name: 'processing' },
    status: WORKFLOW_EXECUTION_STATUS_COMPLETED,
    searchAttributes: { indexedFields: { HoldfastState: defaultPayloadConverter.toPayload(state) } },
  };
  const handle = {
    describe: async () => ({ raw: { workflowExecutionInfo } }),
    result: async () => outcome,
  };
  return {
    options: { namespace: 'default' },
    withAbortSignal: (_: AbortSignal, ask: () => unknown) => ask(),
    workflow: { getHandle: () => handle },
    workflowService: {
      listWorkflowExecutions: async () => ({ executions: [workflowExecutionInfo] }),
      getWorkflowExecutionHistory: async () => ({ history: { events: [] } }),
    },
  } as unknown as Client;
}

test('lists and shows a run of which some chunks failed with the reason', async () => {
  const { signal } = new AbortController();
  const listed = async (client: Client) => await listRunsOf(client, { taskQueue: 'q', limit: 9, signal });
  const client = fakeClient('failed', some);
  const reported = { state: 'failed', failure: someFailed };
  expect(await listed(client)).toMatchObject([reported]);
  expect(await readRunDetails(client, 'run', signal)).toMatchObject({ ...reported, outcome: some });
  const [succeeded] = await listed(fakeClient('succeeded', outcomeOf([completed])));
  expect(succeeded).not.toHaveProperty('failure');
});
