import { expect, test } from 'vitest';
import { countSlots, dropOldSlots, recordSlots } from '../../../../workflows/limiter/policy/worker-slots.ts';
import { reportIntervalMs } from '../../../../worker/slot-reports.ts';

test('a limiter counts the slots of a worker of whose reports one was lost', () => {
  const reported = recordSlots([], { workerId: 'a', slots: 5 }, 0);
  // The next report may come some seconds late.
  expect(countSlots(dropOldSlots(reported, 2 * reportIntervalMs + 20_000))).toBe(5);
});
