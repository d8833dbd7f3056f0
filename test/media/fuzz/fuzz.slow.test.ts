import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fuzz, makeCase } from './fuzz.ts';

/** Of another seed than the quick run, and `npm run check:fuzz` tries any number. */
const [count, seed] = [60, 20_261_122];

let fuzz: Fuzz;

beforeAll(async () => {
  fuzz = await Fuzz.start();
});

afterAll(() => fuzz.stop());

test('no damaged file of sixty ends the container, hangs in it, leaves something, or is a success of a false length', async () => {
  const faults: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const testCase = await makeCase(seed, index);
    const { fault } = await fuzz.try(testCase);
    if (fault !== undefined) faults.push(`${index} (${testCase.what}): ${fault}`);
  }
  expect([...faults, ...(await fuzz.findLeftovers())]).toEqual([]);
}, 600_000);
