import { describe, expect, test } from 'vitest';
import { createLeases } from '../../../container/jobs/leases.ts';
import { createSlots } from '../../../container/jobs/slots.ts';

function setUp({ limit = 1, holdMs = 60_000, contestedHoldMs = 60_000, absenceMs = 60_000 } = {}) {
  const state: { problem: string | undefined; isDraining: boolean } = { problem: undefined, isDraining: false };
  const slots = createSlots(limit);
  const leases = createLeases({
    ...{ slots, holdMs, contestedHoldMs, absenceMs },
    readiness: async () => state.problem,
    isDraining: () => state.isDraining,
  });
  const never = new AbortController().signal;
  return { state, slots, leases, never };
}

describe('queue of leases', () => {
  test('grants the slot to one lease at a time, in order of arrival', async () => {
    const { leases, slots, never } = setUp();
    expect(await leases.hold({ lease: 'a' }, never)).toEqual({ state: 'granted' });
    expect(await leases.hold({ lease: 'b' }, never)).toEqual({ state: 'waiting' });
    expect(await leases.hold({ lease: 'c' }, never)).toEqual({ state: 'waiting' });
    const second = leases.hold({ lease: 'b', known: 'waiting' }, never);
    // The first lease runs its job.
    const release = slots.acquire('job');
    leases.use('a', 'job');
    expect(leases.isGranted('b')).toBe(false);
    release?.();
    expect(await second).toEqual({ state: 'granted' });
    expect(leases.isGranted('c')).toBe(false);
  });

  test('grants as many leases as there are slots', async () => {
    const { leases, never } = setUp({ limit: 2 });
    for (const id of ['a', 'b', 'c']) await leases.hold({ lease: id }, never);
    expect(['a', 'b', 'c'].map((id) => leases.isGranted(id))).toEqual([true, true, false]);
  });

  test('serves each queue in turn: the first to submit gets the slot, and the others wait', async () => {
    const { leases, slots, never } = setUp();
    const ask = (lease: string, line: string) => leases.hold({ lease, line }, never);
    expect([await ask('a', 'one'), await ask('b', 'one'), await ask('c', 'two')]).toEqual([
      ...[{ state: 'granted' }, { state: 'waiting' }, { state: 'granted' }],
    ]);
    const release = slots.acquire('job');
    leases.use('c', 'job');
    expect(await ask('a', 'one')).toEqual({ state: 'waiting' });
    release?.();
    expect(['a', 'b'].map((id) => leases.isGranted(id))).toEqual([true, false]);
  });

  test('lets a granted lease wait again in its place if a request without a lease took the slot', async () => {
    const { leases, slots, never } = setUp();
    await leases.hold({ lease: 'a' }, never);
    await leases.hold({ lease: 'b' }, never);
    const told = leases.hold({ lease: 'a', known: 'granted' }, never);
    const release = slots.acquire('direct');
    expect(await told).toEqual({ state: 'taken' });
    release?.();
    expect(leases.isGranted('a')).toBe(true);
  });

  test('forgets a lease at once when its connection closes', async () => {
    const { leases, never } = setUp();
    const gone = new AbortController();
    await leases.hold({ lease: 'a' }, never);
    await leases.hold({ lease: 'b' }, never);
    const held = leases.hold({ lease: 'a', known: 'granted' }, gone.signal);
    gone.abort();
    await held;
    expect(leases.isGranted('b')).toBe(true);
  });

  test('answers after a while even if nothing changes, and forgets a lease that does not ask again', async () => {
    const { leases, never } = setUp({ holdMs: 20, contestedHoldMs: 20, absenceMs: 20 });
    expect(await leases.hold({ lease: 'frozen' }, never)).toEqual({ state: 'granted' });
    expect(await leases.hold({ lease: 'frozen', known: 'granted' }, never)).toEqual({ state: 'granted' });
    let next = await leases.hold({ lease: 'b' }, never);
    while (next.state === 'waiting') next = await leases.hold({ lease: 'b', known: next.state }, never);
    expect(next).toEqual({ state: 'granted' });
    expect(leases.isGranted('frozen')).toBe(false);
  });

  test('answers sooner while another lease waits, so that a frozen holder is noticed', async () => {
    const { leases, never } = setUp({ contestedHoldMs: 20, absenceMs: 20 });
    expect(await leases.hold({ lease: 'frozen' }, never)).toEqual({ state: 'granted' });
    void leases.hold({ lease: 'frozen', known: 'granted' }, never);
    let next = await leases.hold({ lease: 'b' }, never);
    expect(next).toEqual({ state: 'waiting' });
    while (next.state === 'waiting') next = await leases.hold({ lease: 'b', known: next.state }, never);
    expect(next).toEqual({ state: 'granted' });
  });

  test('grants no lease if no job can run, and says why', async () => {
    const { leases, never, state } = setUp();
    state.problem = 'the scratch disk is full';
    expect(await leases.hold({ lease: 'a' }, never)).toEqual({ state: 'not_ready', reason: state.problem });
    const ready = leases.hold({ lease: 'a', known: 'not_ready' }, never);
    state.problem = undefined;
    expect(await ready).toEqual({ state: 'granted' });
  });

  test('answers held requests for leases at shutdown', async () => {
    const { leases, never, state } = setUp();
    state.problem = 'draining';
    state.isDraining = true;
    expect(await leases.hold({ lease: 'a', known: 'not_ready' }, never)).toEqual({
      state: 'not_ready',
      reason: 'draining',
    });
  });
});
