import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fuzz, makeCase } from './fuzz.ts';

/** `npm run check:fuzz` tries many more. */
const [count, seed] = [12, 1];

let fuzz: Fuzz;

beforeAll(async () => {
  fuzz = await Fuzz.start();
});

afterAll(() => fuzz.stop());

test('a number makes the same damaged file every time', async () => {
  const [one, again] = [await makeCase(seed, 7), await makeCase(seed, 7)];
  expect(one).toEqual(again);
});

test('no damaged file ends the container, hangs in it, leaves something, or is a success of another length than plain ffmpeg’s', async () => {
  expect(await fuzz.findFaults(seed, count)).toEqual([]);
}, 600_000);
