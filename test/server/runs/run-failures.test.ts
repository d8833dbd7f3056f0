import type { Client } from '@temporalio/client';
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../client/run-record.ts';
import { RunFailures } from '../../../server/runs/run-failures.ts';

const run = (runId: string, facts: Partial<RunRecord> = {}): RunRecord => ({
  workflowId: runId,
  runId,
  workflowType: 'encode',
  taskQueue: 'q',
  startedAt: new Date(),
  historyEvents: 9,
  ending: 'failed',
  ...facts,
});

/** Fakes Temporal with the last events of runs. */
function fakeClient(ends: Record<string, object | Promise<never>>): Client {
  return {
    options: {
      namespace: 'default',
      loadedDataConverter: {
        payloadConverter: defaultPayloadConverter,
        failureConverter: defaultFailureConverter,
        payloadCodecs: [],
      },
    },
    workflowService: {
      getWorkflowExecutionHistory: async ({ execution }: { execution: { workflowId: string } }) => {
        const end = ends[execution.workflowId];
        return { history: { events: [await end] } };
      },
    },
  } as unknown as Client;
}

const deleted = Object.assign(new Error('5 NOT_FOUND'), { code: 5, details: 'not found', metadata: {} });
const failedBy = (failure: object): object => ({ workflowExecutionFailedEventAttributes: { failure } });
const completedWith = (result: object): object => ({
  workflowExecutionCompletedEventAttributes: { result: { payloads: [result] } },
});
const resultOf = (status: string, failedChunks: number): object =>
  completedWith(defaultPayloadConverter.toPayload({ status, failedChunks, totalChunks: 4 }));
const encrypted = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('secret') };
const application = (type: string, message: string) => ({ message, applicationFailureInfo: { type } });

test('tells why each failed run failed, without the secrets in URLs', async () => {
  const message = 'The store answered 403 for https://store.test/a.wav?X-Amz-Signature=secret';
  const encoded = { encodedAttributes: defaultPayloadConverter.toPayload({ message: 'the decoded message' }) };
  const failures = new RunFailures(
    fakeClient({
      a: failedBy(application('SourceForbidden', message)),
      b: failedBy({ message: 'Activity failed', cause: application('UndecodableSource', 'It cannot be decoded.') }),
      c: failedBy({ ...application('NoAudio', 'Encoded failure'), ...encoded }),
      d: { workflowExecutionTerminatedEventAttributes: { reason: 'wrong file' } },
      e: { workflowExecutionTimedOutEventAttributes: {} },
      f: resultOf('failed', 4),
      i: resultOf('partial', 1),
      j: completedWith(encrypted),
      k: completedWith(defaultPayloadConverter.toPayload({})),
      l: Promise.reject(deleted),
    }),
  );
  const runs = [
    ...['a', 'b', 'c', 'd', 'e'].map((id) => run(id)),
    ...['f', 'i', 'j', 'k', 'l'].map((id) => run(id, { ending: 'completed', state: 'failed' })),
    run('g', { ending: 'completed', state: 'succeeded' }),
    run('h', { ending: 'cancelled' }),
  ];
  expect(Object.fromEntries(await failures.within(runs, 5_000))).toEqual({
    a: { type: 'SourceForbidden', message: 'The store answered 403 for https://store.test/a.wav?…' },
    b: { type: 'UndecodableSource', message: 'It cannot be decoded.' },
    c: { type: 'NoAudio', message: 'the decoded message' },
    d: { type: 'Terminated', message: 'The run was terminated in Temporal: wrong file' },
    e: { type: 'TimedOut', message: 'The run exceeded its Temporal timeout.' },
    f: { type: 'ProviderFailed', message: '4 of 4 chunks failed' },
    i: { type: 'ChunksFailed', message: '1 of 4 chunks failed' },
    j: { type: 'ChunksFailed', message: expect.stringMatching(/^The run is encrypted\. Set PAYLOAD_KEY/) },
    k: { type: 'ChunksFailed', message: 'Some chunks failed.' },
    l: { type: 'Unknown', message: 'Temporal has deleted the history of the run.' },
  });
});

const gaveUp = 'Gave up after 2 attempts in 9 s: the container could not be reached 2 times. … Last error: ';
const redirects = 'A proxy answered instead of the container: HTTP 308';

test.each([
  ['RetryBudgetExhausted', `${gaveUp}Container disconnected (http://10.0.0.5:8080)`, `${gaveUp}Container disconnected`],
  [
    'RetryBudgetExhausted',
    `${gaveUp}${redirects} (to https://c1.internal/encode) (http://c1.internal)`,
    `${gaveUp}${redirects} (to another address)`,
  ],
  [
    'ContainerUntrusted',
    'The container at https://c1.internal is not trusted: its certificate has expired (CERT_HAS_EXPIRED)',
    'The container is not trusted: its certificate has expired (CERT_HAS_EXPIRED)',
  ],
  [
    'OtherMachine',
    'http://127.0.0.1:8080 is reachable only on host-7. Set CONTAINER_ADVERTISED_URL or POD_IP for its worker.',
    'The container is reachable only on another machine. Set CONTAINER_ADVERTISED_URL or POD_IP for its worker.',
  ],
])('removes the address of the container from the failure %s of an older version', async (type, message, shown) => {
  for (const text of [message, shown]) {
    const failures = new RunFailures(fakeClient({ a: failedBy(application(type, text)) }));
    expect(await failures.of(run('a'))).toEqual({ type, message: shown });
  }
});

test('a list does not wait for Temporal, and does without a reason that cannot be read', async () => {
  const late = Promise.withResolvers<never>();
  const lost = Promise.reject(new Error('lost'));
  const failures = new RunFailures(
    fakeClient({ a: failedBy(application('NoAudio', 'no sound')), b: lost, c: late.promise }),
  );
  const read = await failures.within([run('a'), run('b'), run('c')], 50);
  expect([...read.keys()]).toEqual(['a']);
});
