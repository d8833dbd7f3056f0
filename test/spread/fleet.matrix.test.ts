import { WorkflowFailedError } from '@temporalio/client';
import pMap from 'p-map';
import { expect, test } from 'vitest';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { SpreadStack } from './spread-stack.ts';

// Containers come and go beside many spread runs, and a run is cancelled: `npm run check:spread`.

const spread = await stopAfterAll(SpreadStack.start());
const { stack } = spread;

const runCount = 30;

test(`${runCount} spread runs make the same file while a container is added and then removed`, async () => {
  const names = Array.from({ length: runCount }, (_, index) => `run-${index}`);
  const runs = await pMap(names, (name) => spread.run(name), { concurrency: 4 });
  const ended = () => runs.filter((run) => run.storedSha256() !== '').length;
  const until = async (count: number) =>
    await stack.worker.until(`${count} ended runs`, () => ended() >= count, 1_200_000);
  await until(5);
  const remove = await spread.addContainer();
  const [, , added] = stack.containers;
  await until(15);
  await remove();
  console.log(`container removed when ${ended()} of ${runCount} runs had ended`);
  const outcomes = await Promise.all(runs.map(async ({ handle }) => (await handle.result()) as EncodeOutcome));
  const sha256 = outcomes[0]?.outputs[0]?.sha256 ?? '';
  for (const run of runs) await spread.expectFile(run, sha256);
  expect(added === undefined ? 0 : spread.jobsOn(added)).toBeGreaterThan(0);
  await spread.expectNothingLeft();
}, 1_800_000);

test('a spread run that is cancelled has no job after 10 s and leaves nothing', async () => {
  const run = await spread.run('cancelled');
  await stack.untilStatus(run.handle, 'a stored segment', ({ spread: counts }) => (counts?.done ?? 0) > 0);
  await run.handle.cancel();
  const cancelledMs = Date.now();
  for (const container of stack.containers) {
    await container.process.until('no job', async () => (await container.health()).activeJobs === 0, 10_000);
  }
  expect(Date.now() - cancelledMs).toBeLessThan(10_000);
  await expect(run.handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
  await spread.expectNothingLeft();
});
