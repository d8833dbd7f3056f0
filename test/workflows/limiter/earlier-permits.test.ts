import { expect, test } from 'vitest';
import { foreignPermit, holder, SimulatedLimiter, startMs, wideLimits } from '../../support/simulated-limiter.ts';

// A terminated limiter takes its state with it. The next one does not know which permits are still in use.

/** Two permits of 120 s; the earlier limiter ended ten seconds ago. */
const following = (): SimulatedLimiter =>
  new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) }, { endedAtMs: startMs - 10_000 });
const inUse = (requestId: string) => foreignPermit(requestId, startMs + 60_000);
const ended = (requestId: string) => ({ permitId: `foreign-${requestId}`, outcome: { kind: 'ok' as const } });

test('grants nothing while the earlier limiter’s permits may be in use, and everything once they have expired', () => {
  const limiter = following().request('a', 'a1', 'a2');
  expect(limiter.granted).toBe('');
  expect(limiter.inUse).toBe(2);
  expect(limiter.updateTo('a')).toMatchObject({ waiting: 2, lastGrantAtMs: startMs + 110_000 });
  expect(limiter.after(109).granted).toBe('');
  expect(limiter.sleep()).toBe(true);
  expect(limiter.nowMs).toBe(startMs + 110_000);
  expect(limiter.granted).toBe('a1 a2');
});

test('a limiter without an earlier one grants at once', () => {
  expect(new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) }).request('a', 'a1').granted).toBe('a1');
});

test('a permit that a holder returns makes room for one call', () => {
  const limiter = following().request('a', 'a1', 'a2', 'a3');
  limiter.send(holder('b'), { reports: [ended('b1')] });
  expect(limiter.granted).toBe('a1');
  limiter.send(holder('c'), { reports: [ended('c1')] });
  expect(limiter.granted).toBe('a1 a2');
});

test('a permit that a holder still uses keeps its place until it is returned', () => {
  const limiter = following().request('a', 'a1', 'a2');
  limiter.send(holder('b'), { holding: [inUse('b1'), inUse('b2')] });
  expect(limiter.granted).toBe('');
  expect(limiter.inUse).toBe(2);
  limiter.send(holder('b'), { reports: [ended('b1')] });
  expect(limiter.granted).toBe('a1');
  expect(limiter.after(60).granted).toBe('a1 a2');
});

test('a message that is repeated makes room once', () => {
  const limiter = following().request('a', 'a1', 'a2');
  const message = { holding: [inUse('b1')], reports: [ended('b2')] };
  limiter.send(holder('b'), message).send(holder('b'), message);
  expect(limiter.granted).toBe('a1');
});

test('a permit that a holder granted to itself makes no room', () => {
  const limiter = following().request('a', 'a1');
  limiter.send(holder('b'), { reports: [{ permitId: 'b-own-1-5', outcome: { kind: 'ok' } }] });
  expect(limiter.granted).toBe('');
});

test('a limiter that continues as new still waits', () => {
  const limiter = following().request('a', 'a1', 'a2');
  limiter
    .send(holder('b'), { reports: [ended('b1')] })
    .continueAsNew()
    .advance();
  expect(limiter.granted).toBe('a1');
  expect(limiter.after(110).continueAsNew().advance().granted).toBe('a1 a2');
});

test('a limiter that ended long ago delays nothing', () => {
  const limiter = new SimulatedLimiter({}, { endedAtMs: startMs - 120_000 });
  expect(limiter.request('a', 'a1').granted).toBe('a1');
});

test('never exceeds the limit, however often the limiter is terminated', () => {
  const settings = { limits: wideLimits({ maxConcurrent: 2 }) };
  let limiter = new SimulatedLimiter(settings);
  let calls: { limiter: SimulatedLimiter; permitId: string; untilMs: number }[] = [];
  let [granted, mostAtOnce] = [0, 0];
  for (let second = 0; second < 600; second += 1) {
    const { nowMs } = limiter;
    if (second % 50 === 20) {
      limiter = new SimulatedLimiter(settings, { endedAtMs: nowMs });
      limiter.nowMs = nowMs;
    }
    const isOver = (call: (typeof calls)[number]) => call.untilMs <= nowMs;
    const reports = calls.filter(isOver).map((call) => ({
      // The ids of another limiter differ.
      permitId: call.limiter === limiter ? call.permitId : `earlier-${call.untilMs}-${call.permitId}`,
      outcome: { kind: 'ok' as const },
    }));
    calls = calls.filter((call) => !isOver(call));
    const before = limiter.grants.length;
    // The holder of the calls in progress names none of them.
    limiter.send(holder('a'), { reports, requests: [`r${granted}`, `r${granted + 1}`] });
    for (const { permitId } of limiter.grants.slice(before)) {
      calls.push({ limiter, permitId, untilMs: nowMs + 37_000 });
      granted += 1;
    }
    mostAtOnce = Math.max(mostAtOnce, calls.length);
    limiter.nowMs += 1_000;
  }
  expect(mostAtOnce).toBe(2);
  expect(granted).toBeGreaterThan(15);
});
