import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { noCounts, newRetryState } from '../../../workflows/run/retry-state.ts';
import { answer, jobView, type Script, ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { segmentStorage } from '../../support/fake-stores.ts';
import { identity, resultOfPart } from '../../support/part-results.ts';
import { encodeInput, useInstantAttempts } from '../../support/scripted-runs.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { stopAfterAll, stopAfterTest } from '../../support/stop-after-all.ts';

useInstantAttempts();

const time = await stopAfterAll(TimeSkipping.start());
// A test ends the jobs, and the clock must not skip before that.
await time.stopSkipping();

const segmentAt = (index: number) => ({ from: index * 500, to: (index + 1) * 500 });
const segments = [0, 1, 2, 3, 4, 5].map(segmentAt);
const storage = segmentStorage();
const settings = { leastSeconds: 300, store: 's3://parts/' };
const input = { ...encodeInput, spread: { containers: 8, segmentSeconds: 20 } };

test('a run has more segments under way when containers are added, and fewer when containers vanish', async () => {
  const running = new Set<() => void>();
  const startedBeside: number[] = [];
  const script: Script = ({ body: { part } }) => {
    const reply = answer(200, resultOfPart(part, segments));
    if (part?.kind !== 'segment') return reply;
    startedBeside.push(running.size);
    return { kind: 'later', after: new Promise<void>((end) => running.add(end)), reply };
  };
  /** Ends the segments under way once so many have started. */
  const endAfter = async (started: number): Promise<void> => {
    await vi.waitFor(() => expect(startedBeside).toHaveLength(started), { timeout: 120_000 });
    const ended = [...running];
    running.clear();
    for (const end of ended) end();
  };
  // The test server does not report containers.
  let mostContainers = 1;
  const spread = {
    ...settings,
    get mostContainers() {
      return mostContainers;
    },
  };
  const inTime = async (taskQueue: string): Promise<void> => {
    const handle = await time.start('encode', input, taskQueue);
    await vi.waitFor(() => expect(startedBeside).toHaveLength(1), { timeout: 120_000 });
    mostContainers = 3;
    await endAfter(1);
    await vi.waitFor(() => expect(startedBeside).toHaveLength(4), { timeout: 120_000 });
    mostContainers = 1;
    for (const started of [4, 5, 6]) await endAfter(started);
    expect(await handle.result()).toMatchObject({ spread: { segments: 6 } });
  };
  const starts = [script, script, script].map(async (each) => stopAfterTest(ScriptedContainer.start(each)));
  const urls = (await Promise.all(starts)).map(({ url }) => url);
  await time.withWorkers(urls, inTime, { storage, spread });
  expect(startedBeside).toEqual([0, 0, 1, 2, 0, 0]);
});

test('a continued run follows all jobs that may still run, although there are fewer containers than jobs', async () => {
  const followed = new Set<string>();
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const script: Script = ({ method, path, body }) => {
    const [, index] = /^\/jobs\/job-(\d)$/.exec(path) ?? [];
    if (index === undefined) return answer(200, resultOfPart(body.part, segments));
    if (method === 'GET') followed.add(index);
    const jobId = `job-${index}`;
    const result = {
      ...resultOfPart({ kind: 'segment', source: identity, ...segmentAt(Number(index)) }, segments),
      jobId,
    };
    const reply = answer(200, jobView(1, { jobId, state: 'succeeded', result }));
    return { kind: 'later', after: ended, reply };
  };
  const container = await stopAfterTest(ScriptedContainer.start(script));
  const stateOf = (index: number) =>
    newRetryState({ location: { containerUrl: container.url, jobId: `job-${index}` } });
  const progress = {
    ...{ kind: 'segments', key: 'key', store: settings.store, settings: { ...settings, mostContainers: 1 } },
    plan: { kind: 'plan', segments: segments.slice(0, 3), films: 1, identity },
    ...{ files: {}, states: { 0: stateOf(0), 1: stateOf(1), 2: stateOf(2) }, counts: noCounts },
  };
  const inTime = async (taskQueue: string): Promise<void> => {
    const handle = await time.environment.client.workflow.start('encode', {
      ...{ taskQueue, workflowId: randomUUID() },
      args: [input, { key: 'key', state: progress }],
    });
    await vi.waitFor(() => expect(followed).toEqual(new Set(['0', '1', '2'])), { timeout: 120_000 });
    end();
    expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
  };
  await time.withWorkers([container.url], inTime, { storage, spread: { ...settings, mostContainers: 1 } });
});
