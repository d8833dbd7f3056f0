import { expect, test, vi } from 'vitest';
import { Storage } from '../../../activities/storage/storage.ts';
import { answer, type Script, ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { resultOfPart } from '../../support/part-results.ts';
import { encodeInput, useInstantAttempts } from '../../support/scripted-runs.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

useInstantAttempts();

const time = await stopAfterAll(TimeSkipping.start());
// A test ends the jobs, and the clock must not skip before that.
await time.stopSkipping();

const segments = [0, 1, 2, 3, 4, 5].map((index) => ({ from: index * 500, to: (index + 1) * 500 }));
const unused = async (): Promise<never> => Promise.reject(new Error('unused'));

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
    await vi.waitFor(() => expect(startedBeside).toHaveLength(started), { timeout: 60_000 });
    const ended = [...running];
    running.clear();
    for (const end of ended) end();
  };
  // The test server does not report containers.
  let mostContainers = 1;
  const spread = {
    ...{ leastSeconds: 300, store: 's3://parts/' },
    get mostContainers() {
      return mostContainers;
    },
  };
  const storage = new Storage({
    at: async () => ({ kind: 'direct', remove: async () => {}, read: unused, write: unused }),
  });
  const inTime = async (taskQueue: string): Promise<void> => {
    const input = { ...encodeInput, spread: { containers: 8, segmentSeconds: 20 } };
    const handle = await time.start('encode', input, taskQueue);
    await vi.waitFor(() => expect(startedBeside).toHaveLength(1), { timeout: 60_000 });
    mostContainers = 3;
    await endAfter(1);
    await vi.waitFor(() => expect(startedBeside).toHaveLength(4), { timeout: 60_000 });
    mostContainers = 1;
    for (const started of [4, 5, 6]) await endAfter(started);
    expect(await handle.result()).toMatchObject({ spread: { segments: 6 } });
  };
  const containers = await Promise.all([script, script, script].map(async (each) => ScriptedContainer.start(each)));
  try {
    const urls = containers.map(({ url }) => url);
    await time.withWorkers(urls, inTime, { storage, spread });
  } finally {
    await Promise.all(containers.map(async (container) => container.stop()));
  }
  expect(startedBeside).toEqual([0, 0, 1, 2, 0, 0]);
});
