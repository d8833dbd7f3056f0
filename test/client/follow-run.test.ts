import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { followRun } from '../../client/follow-run.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';

const outcome = {
  totalChunks: 0,
  totalDuration: 1,
  chunks: [],
  attempts: 1,
  rateLimitHits: 0,
  connectionErrors: 0,
  elapsedSeconds: 0,
};
const status: WorkflowStatus = {
  phase: 'chunk',
  state: 'running',
  percent: 10,
  attempt: 1,
  elapsedSeconds: 0,
  budgetLeftSeconds: 3600,
};

/** A server whose requests end when answered or aborted, as in the SDK. */
class FakeServer {
  open = 0;
  readonly result = Promise.withResolvers<unknown>();
  answer: Promise<WorkflowStatus> = Promise.resolve(status);
  queries = 0;
  readonly #signal = new AsyncLocalStorage<AbortSignal>();

  readonly client = {
    withDeadline: (_: number, request: () => Promise<unknown>) => request(),
    withAbortSignal: (signal: AbortSignal, request: () => Promise<unknown>) => this.#signal.run(signal, request),
  } as unknown as Client;

  readonly handle = {
    result: () => this.#request(this.result.promise),
    query: () => {
      this.queries += 1;
      return this.#request(this.answer);
    },
    describe: () => this.#request(Promise.resolve({ raw: {} })),
  } as unknown as WorkflowHandle;

  async #request<T>(answer: Promise<T>): Promise<T> {
    const signal = this.#signal.getStore();
    this.open += 1;
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
    return await Promise.race([answer, aborted]).finally(() => {
      this.open -= 1;
    });
  }
}

function follow(server: FakeServer, onStatus: (status: WorkflowStatus) => void = () => undefined) {
  const following = new AbortController();
  const options = { onStatus, signal: following.signal };
  return { outcome: followRun(server.client, server.handle, 'chunking', options), following };
}

test('reports the status until the run ends, then returns its result', async () => {
  const server = new FakeServer();
  const reported: WorkflowStatus[] = [];
  const { outcome: followed } = follow(server, (status) => {
    reported.push(status);
    if (reported.length === 2) server.result.resolve(outcome);
  });
  expect(await followed).toEqual(outcome);
  expect(reported).toEqual([status, status]);
});

test('rejects with the failure of the run', async () => {
  const server = new FakeServer();
  const { outcome: followed } = follow(server, () => server.result.reject(new Error('The source cannot be decoded.')));
  await expect(followed).rejects.toThrow('The source cannot be decoded.');
});

test('an unanswered query neither delays the result nor outlives it', async () => {
  const server = new FakeServer();
  server.answer = new Promise(() => undefined);
  const { outcome: followed } = follow(server);
  await expect.poll(() => server.queries).toBe(1);
  server.result.resolve(outcome);
  expect(await followed).toEqual(outcome);
  expect(server.open).toBe(0);
});

test('stops following when aborted, whatever the run does', async () => {
  const server = new FakeServer();
  server.answer = new Promise(() => undefined);
  const { outcome: followed, following } = follow(server);
  await expect.poll(() => server.queries).toBe(1);
  following.abort();
  await expect(followed).rejects.toThrow('aborted');
  expect(server.open).toBe(0);
});
