import { expect, test } from 'vitest';
import { PollerAges } from '../../../server/queue/poller-ages.ts';

const hourMs = 3_600_000;
const namesOf = (pollers: { identity: string }[]) => pollers.map(({ identity }) => identity);

test.each([-hourMs, 0, hourMs])('finds the pollers that still poll with a clock %d ms from Temporal’s', (offMs) => {
  const ages = new PollerAges();
  const at = (identity: string, second: number) => ({ identity, atMs: second * 1000 + offMs });
  expect(namesOf(ages.present([at('b', 100), at('gone', 60), at('a', 95)], 0))).toEqual(['a', 'b']);
  // Both poll again within 8 s.
  expect(namesOf(ages.present([at('b', 108), at('gone', 60), at('a', 103)], 8_000))).toEqual(['a', 'b']);
  // One of them has stopped, although Temporal lists it for minutes.
  expect(namesOf(ages.present([at('b', 132), at('a', 103)], 32_000))).toEqual(['b']);
  // The last one stops too.
  expect(namesOf(ages.present([at('b', 132)], 58_000))).toEqual([]);
  expect(namesOf(ages.present([], 60_000))).toEqual([]);
});
