import { expect, test } from 'vitest';
import { RequestQueue } from '../../../workflows/limiter/request-queue.ts';
import { holder } from '../../support/simulated-limiter.ts';

/** Together, so many holders of long ids would exceed the size of a queue. */
const holders = Array.from({ length: 2_000 }, (_, index) => holder(`${index}-${'x'.repeat(1_000)}`));

test('refuses a further holder at its size, and has room again when the holders have left', () => {
  const queue = new RequestQueue([]);
  for (const one of holders) queue.add(one, ['a']);
  expect(queue.hasRoomFor(holder('late'), ['a'])).toBe(false);
  for (const one of holders) queue.deleteAllOf(one);
  expect(queue.hasRoomFor(holder('late'), ['a'])).toBe(true);
});

test('has room for any number of holders, one after the other', () => {
  const queue = new RequestQueue([]);
  for (const one of holders) {
    queue.add(one, ['a', 'b']);
    queue.delete(one, 'a');
    queue.add(one, ['c']);
    queue.delete(one, 'b');
    queue.delete(one, 'c');
  }
  expect(queue.hasRoomFor(holder('late'), ['a'])).toBe(true);
});
