import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WorkflowSlots } from '../../worker/workflow-slots.ts';

const replay = { isSticky: false };
const sticky = { isSticky: true };

/** Whether the promise settles without anything else happening. */
const isReady = async (promise: Promise<unknown>): Promise<boolean> =>
  await Promise.race([promise.then(() => true), delay(20).then(() => false)]);

test('lets tasks that may replay a run begin one by one, and sticky tasks beside them', async () => {
  const slots = new WorkflowSlots();
  const { signal } = new AbortController();
  const first = await slots.reserveSlot(replay, signal);
  const second = slots.reserveSlot(replay, signal);
  expect(await isReady(slots.reserveSlot(sticky, signal))).toBe(true);
  const beside = await slots.reserveSlot(sticky, signal);
  expect(await isReady(second)).toBe(false);
  slots.releaseSlot({ permit: beside });
  expect(await isReady(second)).toBe(false);
  slots.releaseSlot({ permit: first });
  expect(await isReady(second)).toBe(true);
});

test('gives no slot to a reservation that was aborted', async () => {
  const slots = new WorkflowSlots();
  const abort = new AbortController();
  const { signal } = new AbortController();
  const first = await slots.reserveSlot(replay, signal);
  const second = slots.reserveSlot(replay, abort.signal);
  abort.abort();
  await expect(second).rejects.toMatchObject({ name: 'AbortError' });
  slots.releaseSlot({ permit: first });
  expect(await isReady(slots.reserveSlot(replay, signal))).toBe(true);
});
