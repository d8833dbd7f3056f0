import { expect, test } from 'vitest';
import { ProviderLimits } from '../../../../contract/provider.ts';
import type { CallOutcome } from '../../../../workflows/limiter/client/call-outcome.ts';
import { OwnGrants } from '../../../../workflows/limiter/client/own-grants.ts';

const heldBack = (waitMs: number): CallOutcome => ({ kind: 'held_back', message: 'x', waitMs });
const holder = { workflowId: 'run', firstRunId: 'a' };

test('a run that is held back tries one call at a time after growing pauses, and more at once as calls succeed', () => {
  const own = new OwnGrants(ProviderLimits.parse({ maxConcurrent: 3 }), holder);
  expect([2, 3].map((held) => own.mayGrant(held, 0))).toEqual([true, false]);
  own.recordEnd(heldBack(400), 0);
  expect(own.closedUntilMs).toBe(1_000);
  expect([0, 999, 1_000].map((nowMs) => own.mayGrant(0, nowMs))).toEqual([false, false, true]);
  expect(own.mayGrant(1, 1_000)).toBe(false);
  own.recordEnd(heldBack(0), 1_000);
  expect(own.closedUntilMs).toBe(3_000);
  own.recordEnd(heldBack(20_000), 3_000);
  expect(own.closedUntilMs).toBe(23_000);
  own.recordEnd(heldBack(3_000_000), 23_000);
  expect(own.closedUntilMs).toBe(323_000);

  own.recordEnd({ kind: 'ok' }, 323_000);
  expect([1, 2].map((held) => own.mayGrant(held, 323_000))).toEqual([true, false]);
  own.recordEnd({ kind: 'ok' }, 323_000);
  own.recordEnd({ kind: 'ok' }, 323_000);
  expect([2, 3].map((held) => own.mayGrant(held, 323_000))).toEqual([true, false]);
});
