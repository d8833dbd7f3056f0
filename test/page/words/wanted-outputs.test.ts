import { expect, test } from 'vitest';
import { beginningOf, endOf } from '../../../page/words/wanted-outputs.ts';

test.each([
  [{ outputs: [{}, { trim: { start: 2.5, end: 9 } }] }, 2.5, 9],
  [{ outputs: [{}, { trim: { end: 9 } }] }, 0, 9],
  [{ outputs: [{}, {}] }, 0, undefined],
  [{ outputs: [{}, { trim: null }] }, 0, undefined],
  [{ outputs: [{}] }, 0, undefined],
  [{}, 0, undefined],
])('reads from %j an output that has its source from %d to %s s', (input, start, end) => {
  expect([beginningOf({ input }, 1), endOf({ input }, 1)]).toEqual([start, end]);
});
