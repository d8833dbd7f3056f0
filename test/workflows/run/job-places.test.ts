import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { type ContainerClients, ContainerClient } from '../../../activities/container/client.ts';
import { OtherMachine } from '../../../activities/container/errors.ts';
import { answer, encodeResult, jobView, ScriptedContainer, succeededView } from '../../fixtures/scripted-container.ts';
import { encodeInput } from '../../support/scripted-runs.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

// Two machines each have a container at http://127.0.0.1:8080. The jobs run on the first; workers of both follow them.

const sharedUrl = 'http://127.0.0.1:8080';
const runCount = 6;

let first: ScriptedContainer;
let second: ScriptedContainer;
let areDone: boolean;

const time = await stopAfterAll(TimeSkipping.start());
// The clock must not skip: when several runs ended together, the server skipped the time of runs that were still followed.
await time.stopSkipping();
afterEach(() => Promise.all([first.stop(), second.stop()]));

async function startContainer(name: string): Promise<ScriptedContainer> {
  const headers = { 'holdfast-instance': `instance of ${name}` };
  const cancelled = new Set<string>();
  return ScriptedContainer.start(({ method, path }, index) => {
    if (method === 'POST') return answer(202, { success: true, jobId: `${name}-${index}`, state: 'running' }, headers);
    if (method === 'DELETE') cancelled.add(path);
    const [, , jobId = ''] = path.split('/');
    const error = { success: false, error: 'The job was cancelled.', code: 'cancelled' };
    if (cancelled.has(path))
      return answer(200, jobView(2, { jobId, state: 'cancelled', endedAt: 'now', error }), headers);
    return answer(
      200,
      areDone ? { ...succeededView, jobId, result: { ...encodeResult, jobId } } : jobView(1, { jobId }),
      headers,
    );
  });
}

function clientsOf(machine: string, container: ScriptedContainer): ContainerClients {
  const client = new ContainerClient(container.url, undefined);
  return (place) => {
    if (place.machine !== undefined && place.machine !== machine) throw new OtherMachine(place);
    return client;
  };
}

/** Starts runs and calls `body` once all their jobs are followed. */
async function withRuns(body: (handles: WorkflowHandle[]) => Promise<void>): Promise<void> {
  areDone = false;
  [first, second] = await Promise.all([startContainer('first'), startContainer('second')]);
  const taskQueue = `test-${randomUUID()}`;
  const withFirst = (inner: () => Promise<void>) =>
    time.withWorkers([sharedUrl], inner, { clients: clientsOf('first', first) }, undefined, {
      taskQueue,
      machine: 'first',
    });
  const withSecond = (inner: () => Promise<void>) =>
    time.withWorkers([], inner, { clients: clientsOf('second', second) }, undefined, { taskQueue, machine: 'second' });
  await withFirst(() =>
    withSecond(async () => {
      const handles: WorkflowHandle[] = [];
      for (let run = 0; run < runCount; run += 1) handles.push(await time.start('encode', encodeInput, taskQueue));
      const followed = () => new Set(first.requests.map(({ path }) => path.split('/')[2])).size > runCount;
      await vi.waitUntil(followed, { timeout: 120_000 });
      await body(handles);
    }),
  );
}

test('tells two containers with the same URL apart: each job starts once and is followed where it runs', async () => {
  await withRuns(async (handles) => {
    areDone = true;
    for (const result of await time.results(handles)) expect(result).toMatchObject({ attempts: 1 });
    expect(first.requestsTo('POST', '/encode')).toHaveLength(runCount);
    expect(second.requests).toEqual([]);
  });
});

test('a cancelled run ends its job only where the job runs', async () => {
  await withRuns(async (handles) => {
    for (const handle of handles) await handle.cancel();
    for (const handle of handles) await expect(handle.result()).rejects.toThrow('cancelled');
    const ended = new Set(first.requests.flatMap(({ method, path }) => (method === 'DELETE' ? [path] : [])));
    expect(ended.size).toBe(runCount);
    expect(second.requests).toEqual([]);
  });
});
