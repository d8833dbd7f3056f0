import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { readLiveStatus } from '../../client/live-status.ts';
import { withOwnSignal } from '../../client/own-signal.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a status query holds no memory after its answer, although the caller’s signal lives on', async () => {
  const requests: WeakRef<object>[] = [];
  const client = {
    withDeadline: async (_: number, ask: () => unknown) => await ask(),
    // As Temporal's SDK does, which never removes the listener.
    withAbortSignal: async (signal: AbortSignal, ask: () => unknown) => {
      const request = {};
      requests.push(new WeakRef(request));
      signal.addEventListener('abort', () => request);
      return await ask();
    },
  } as unknown as Client;
  const handle = { query: async () => await Promise.resolve({ state: 'queued' }) } as unknown as WorkflowHandle;
  const { signal } = new AbortController();
  for (let count = 0; count < 10; count += 1) await readLiveStatus(client, handle, 'processing', signal);
  expect(requests).toHaveLength(10);
  await expect
    .poll(() => {
      collectGarbage();
      return requests.filter((request) => request.deref() !== undefined).length;
    })
    .toBe(0);
  expect(signal.aborted).toBe(false);
});

test('work with a signal of its own ends with the given signal, and with its reason', async () => {
  const given = new AbortController();
  const work = withOwnSignal(
    given.signal,
    async (own) =>
      await new Promise((_, reject) => {
        own.addEventListener('abort', () => reject(own.reason as Error));
      }),
  );
  given.abort(new Error('The server stops.'));
  await expect(work).rejects.toThrow('The server stops.');
  expect(await withOwnSignal(given.signal, async ({ aborted }) => await Promise.resolve(aborted))).toBe(true);
});
