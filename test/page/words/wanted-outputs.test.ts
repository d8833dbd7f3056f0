import { expect, test } from 'vitest';
import { beginningOf } from '../../../page/words/wanted-outputs.ts';

test.each([
  [{ outputs: [{}, { trim: { start: 2.5, end: 9 } }] }, 2.5],
  [{ outputs: [{}, { trim: { end: 9 } }] }, 0],
  [{ outputs: [{}, {}] }, 0],
  [{ outputs: [{}, { trim: null }] }, 0],
  [{ outputs: [{}] }, 0],
  [{}, 0],
])('reads from %j an output that starts at %d s of its source', (input, seconds) => {
  expect(beginningOf({ input }, 1)).toBe(seconds);
});
