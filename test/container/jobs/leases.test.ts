import { describe, expect, test } from 'vitest';
import { createLeases } from '../../../container/jobs/leases.ts';
import { createSlots } from '../../../container/jobs/slots.ts';

function setUp({ limit = 1, holdMs = 60_000, absenceMs = 60_000 } = {}) {
  const state: { problem: string | undefined; isDraining: boolean } = { problem: undefined, isDraining: false };
  const slots = createSlots(limit);
  const leases = createLeases({
    ...{ slots, holdMs, absenceMs },
    readiness: async () => state.problem,
    isDraining: () => state.isDraining,
  });
  const never = new AbortController().signal;
  return { state, slots, leases, never };
}

describe('a line of leases', () => {
  test('grants the slot to one at a time, in the order in which they asked', async () => {
    const { leases, slots, never } = setUp();
    expect(await leases.hold('a', undefined, never)).toEqual({ state: 'granted' });
    expect(await leases.hold('b', undefined, never)).toEqual({ state: 'waiting' });
    expect(await leases.hold('c', undefined, never)).toEqual({ state: 'waiting' });
    const second = leases.hold('b', 'waiting', never);
    // The job of the first.
    const release = slots.acquire('job');
    leases.use('a', 'job');
    expect(leases.isGranted('b')).toBe(false);
    release?.();
    expect(await second).toEqual({ state: 'granted' });
    expect(leases.isGranted('c')).toBe(false);
  });

  test('grants as many as there are slots', async () => {
    const { leases, never } = setUp({ limit: 2 });
    for (const id of ['a', 'b', 'c']) await leases.hold(id, undefined, never);
    expect(['a', 'b', 'c'].map((id) => leases.isGranted(id))).toEqual([true, true, false]);
  });

  test('lets one that was granted wait again where a request without a lease took the slot, and keeps its place', async () => {
    const { leases, slots, never } = setUp();
    await leases.hold('a', undefined, never);
    await leases.hold('b', undefined, never);
    const told = leases.hold('a', 'granted', never);
    const release = slots.acquire('direct');
    expect(await told).toEqual({ state: 'taken' });
    release?.();
    expect(leases.isGranted('a')).toBe(true);
  });

  test('forgets one whose connection was closed, at once', async () => {
    const { leases, never } = setUp();
    const gone = new AbortController();
    await leases.hold('a', undefined, never);
    await leases.hold('b', undefined, never);
    const held = leases.hold('a', 'granted', gone.signal);
    gone.abort();
    await held;
    expect(leases.isGranted('b')).toBe(true);
  });

  test('answers in the end even where nothing changes, and forgets one that does not ask again', async () => {
    const { leases, never } = setUp({ holdMs: 20, absenceMs: 20 });
    expect(await leases.hold('frozen', undefined, never)).toEqual({ state: 'granted' });
    expect(await leases.hold('frozen', 'granted', never)).toEqual({ state: 'granted' });
    let next = await leases.hold('b', undefined, never);
    while (next.state === 'waiting') next = await leases.hold('b', next.state, never);
    expect(next).toEqual({ state: 'granted' });
    expect(leases.isGranted('frozen')).toBe(false);
  });

  test('grants nothing where no job can work, and says why', async () => {
    const { leases, never, state } = setUp();
    state.problem = 'the scratch disk is full';
    expect(await leases.hold('a', undefined, never)).toEqual({ state: 'not_ready', reason: state.problem });
    const ready = leases.hold('a', 'not_ready', never);
    state.problem = undefined;
    expect(await ready).toEqual({ state: 'granted' });
  });

  test('holds no request of a container that shuts down', async () => {
    const { leases, never, state } = setUp();
    state.problem = 'draining';
    state.isDraining = true;
    expect(await leases.hold('a', 'not_ready', never)).toEqual({ state: 'not_ready', reason: 'draining' });
  });
});
