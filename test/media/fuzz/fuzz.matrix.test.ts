import { expect, test } from 'vitest';
import { Fuzz } from './fuzz.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

/** Another seed than in the quick run; `npm run check:fuzz` tries any number. */
const [count, seed] = [60, 20_261_122];

const fuzz = await stopAfterAll(Fuzz.start());

test('sixty damaged files never crash or hang the container, leave files, or yield a wrong length', async () => {
  expect(await fuzz.findFaults(seed, count)).toEqual([]);
}, 600_000);
