import { expect, test } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { ClockRanAway, TimeSkipping } from './time-skipping.ts';

test('a wait whose clock ran away leaves no call that is repeated after the server has stopped', async () => {
  const errors: unknown[] = [];
  const note = (error: unknown) => void errors.push(error);
  process.on('uncaughtExceptionMonitor', note);
  const time = await TimeSkipping.start();
  const run = await time.start('encode', {}, 'no-worker');
  const results = time.results([run]);
  await time.environment.sleep('500 days');
  await expect(results).rejects.toThrow(ClockRanAway);
  await time.stop();
  // The retry of a call begins 100 ms after its error.
  await delay(1_000);
  process.off('uncaughtExceptionMonitor', note);
  expect(errors).toEqual([]);
});
