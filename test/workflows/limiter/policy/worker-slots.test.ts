import { expect, test } from 'vitest';
import { countSlots, dropOldSlots, recordSlots } from '../../../../workflows/limiter/policy/worker-slots.ts';
import { intervalMs } from '../../../../worker/slot-reports.ts';

const reported = recordSlots([], { workerId: 'a', slots: 5 }, 0);

test('a limiter counts the slots of a worker of whose reports one was lost', () => {
  // The next report may come some seconds late.
  expect(countSlots(dropOldSlots(reported, 2 * intervalMs + 20_000))).toBe(5);
});

test('a limiter forgets a worker after three of its reports are missing', () => {
  expect(countSlots(dropOldSlots(reported, 3 * intervalMs))).toBeUndefined();
});

test('a worker that stops reports no slots, and counts no more', () => {
  const others = recordSlots(reported, { workerId: 'b', slots: 3 }, 1);
  expect(countSlots(others)).toBe(8);
  expect(countSlots(recordSlots(others, { workerId: 'a', slots: 0 }, 2))).toBe(3);
});
