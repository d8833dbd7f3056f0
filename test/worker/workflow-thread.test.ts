import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { limiterQueries, limiterWorkflowType } from '../../contract/limiter.ts';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { workerWithSharedThread } from '../../worker/workflow-thread.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { TimeSkipping } from '../support/time-skipping.ts';

const { environment } = await stopAfterAll(TimeSkipping.start());

async function countWorkerThreads(): Promise<number> {
  const names = (await readdir('/proc/self/task')).map((id) => readFile(`/proc/self/task/${id}/comm`, 'utf8'));
  return (await Promise.all(names)).filter((name) => name.startsWith('WorkerThread')).length;
}

async function startAndQuery(taskQueue: string): Promise<unknown> {
  const { workflow } = environment.client;
  const handle = await workflow.start(limiterWorkflowType, {
    taskQueue,
    workflowId: randomUUID(),
    args: ['a/b', { limits: {} }],
  });
  const stats = await handle.query(limiterQueries.stats);
  await handle.terminate();
  return stats;
}

test('workers share one thread for workflows, which works until the last of them has stopped', async () => {
  const before = await countWorkerThreads();
  const SharedThreadWorker = workerWithSharedThread();
  const create = async (taskQueue: string) =>
    await SharedThreadWorker.create({
      connection: environment.nativeConnection,
      taskQueue,
      workflowBundle: await ensureWorkflowBundle(),
    });
  const [first, last] = [randomUUID(), randomUUID()];
  const [firstWorker, lastWorker] = [await create(first), await create(last)];
  expect(await countWorkerThreads()).toBe(before + 1);
  await lastWorker.runUntil(async () => {
    await firstWorker.runUntil(async () => expect(await startAndQuery(first)).toBeDefined());
    expect(await startAndQuery(last)).toBeDefined();
  });
  await expect.poll(countWorkerThreads).toBe(before);
});
