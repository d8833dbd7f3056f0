import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../client/run-record.ts';
import type { Line, LineView } from '../../../server/queue/line.ts';
import { Queue } from '../../../server/queue/read-queue.ts';

/** A queue of `backlog` steps, with `runs` working runs and the containers that work for the first run. */
function queueOf(backlog: number, runs: number, containers: readonly string[], readLine?: Line['read']) {
  const logged: string[] = [];
  const client = {
    options: { namespace: 'n' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: { count: async () => await Promise.resolve({ count: runs }) },
    workflowService: {
      describeTaskQueue: async () => await Promise.resolve({ stats: { approximateBacklogCount: backlog } }),
    },
  } as unknown as Client;
  const run = { workflowId: 'film' } as RunRecord;
  const work = containers.map((containerUrl) => ({
    run,
    step: { kind: 'working', sinceMs: 0, containerUrl } as const,
  }));
  const view: LineView = { places: new Map(), work, presence: { workers: 1, containers: [] }, typicalSeconds: 9 };
  const line = { read: readLine ?? (async () => await Promise.resolve(view)) } as Line;
  const log = pino({ level: 'warn' }, { write: (text) => void logged.push(text) });
  const queue = new Queue(client, 'q', line, async () => await Promise.resolve(true), log);
  return { queue, logged };
}

test.each([
  ['each container of a spread run', 2, 1, ['http://a', 'http://b', 'http://c'], 5],
  ['a container that two steps name once', 0, 1, ['http://a', 'http://a'], 1],
  ['runs whose containers are not known yet', 1, 3, ['http://a'], 4],
])('an autoscaler keeps %s', async (_, backlog, runs, containers, wanted) => {
  expect(await queueOf(backlog, runs, containers).queue.wanted()).toBe(wanted);
});

test('an autoscaler gets the queued and busy runs if the containers cannot be read, which is logged', async () => {
  const { queue, logged } = queueOf(2, 1, [], async () => await Promise.reject(new Error('deadline exceeded')));
  expect(await queue.wanted()).toBe(3);
  expect(logged.join('')).toContain('deadline exceeded');
});
