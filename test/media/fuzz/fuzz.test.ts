import { expect, test } from 'vitest';
import { Fuzz, makeCase } from './fuzz.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

/** `npm run check:fuzz` tries many more. */
const [count, seed] = [12, 1];

const fuzz = await stopAfterAll(Fuzz.start());

test('the same number always yields the same damaged file', async () => {
  const [one, again] = [await makeCase(seed, 7), await makeCase(seed, 7)];
  expect(one).toEqual(again);
});

test('damaged files never crash or hang the container, leave files, or yield another length than plain ffmpeg', async () => {
  expect(await fuzz.findFaults(seed, count)).toEqual([]);
}, 600_000);
