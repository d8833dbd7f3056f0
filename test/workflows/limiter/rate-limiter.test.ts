import { describe, expect, test } from 'vitest';
import type { CallReport } from '../../../contract/limiter.ts';
import { foreignPermit, holder, limitsOf, startMs, TestGate } from './support.ts';

const failed: CallReport = { kind: 'failed', message: 'down' };
const limited = (message: string): CallReport => ({ kind: 'rate_limited', message });
const throttle = { day: 86_400, rps: 60, other: 900 };

describe('permits', () => {
  test('go out in order of arrival, as many as are allowed, and each that comes back to the next', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 2 }) });
    gate.ask('a', 'a1', 'a2', 'a3').ask('b', 'b1').ask('a', 'a4');
    expect(gate.granted).toBe('a1 a2');
    gate.report('a', 'a2');
    expect(gate.granted).toBe('a1 a2 a3');
    gate.report('a', 'a1').report('a', 'a3');
    expect(gate.granted).toBe('a1 a2 a3 b1 a4');
    expect(gate.inUse).toBe(2);
  });

  test('are told to their holder with all that it holds, what still waits, and when that is expected', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) });
    gate.ask('b', 'b1').ask('a', 'a1', 'a2');
    expect(gate.newsTo('b')).toBeUndefined();
    // A call is presumed to take 10 s.
    expect(gate.newsTo('a')).toEqual({
      ...{ key: 'test/model', to: holder('a'), granted: [], waiting: 2 },
      lastGrantAtMs: startMs + 20_000,
    });
    gate.report('b', 'b1');
    const [a1] = gate.newsTo('a')?.granted ?? [];
    expect(a1).toEqual({ permitId: gate.permitOf('a', 'a1'), requestId: 'a1', expiresAtMs: startMs + 120_000 });
    // An answer may have been lost: it comes again with the next one.
    expect(gate.ask('a', 'a2').newsTo('a')?.granted).toEqual([a1]);
  });

  test('asked for twice, keep their place and are granted once', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) });
    gate.ask('a', 'a1', 'a2').ask('b', 'b1').ask('a', 'a1', 'a2');
    expect(gate.waiting).toBe(2);
    gate.report('a', 'a1').report('a', 'a2').report('b', 'b1');
    expect(gate.granted).toBe('a1 a2 b1');
  });

  test('the same request of two holders is two', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) }).ask('a', '0.1', '0.2').ask('b', '0.1', '0.2');
    expect(gate.waiting).toBe(3);
    gate.report('a', '0.1').report('a', '0.2').report('b', '0.1');
    expect(gate.grants.map(({ holder, requestId }) => `${holder} ${requestId}`)).toEqual([
      ...['run-a 0.1', 'run-a 0.2', 'run-b 0.1', 'run-b 0.2'],
    ]);
  });

  test('live 120 s: a holder that says nothing loses its own to the next one', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) }).ask('a', 'a1').ask('b', 'b1');
    expect(gate.book.wakeAtMs(gate.nowMs)).toBe(startMs + 120_000);
    gate.after(119.999);
    expect(gate.granted).toBe('a1');
    gate.after(0.001);
    expect(gate.granted).toBe('a1 b1');
    expect(gate.inUse).toBe(1);
    expect(gate.eventsOf('permit_expired')).toMatchObject([{ holder: 'run-a', requestId: 'a1' }]);
  });

  test.each<CallReport>([{ kind: 'ok' }, failed, limited('tokens per day limit exceeded'), { kind: 'unused' }])(
    'are fenced: a report of $kind that comes after the permit is over changes nothing',
    (outcome) => {
      const limits = limitsOf({ maxConcurrent: 1, breakerFailures: 1 });
      const gate = new TestGate({ limits, throttle }).ask('a', 'a1').ask('b', 'b1').ask('c', 'c1').after(120);
      const before = gate.book.state();
      gate.report('a', 'a1', outcome);
      expect(gate.book.state()).toEqual(before);
      expect(gate.granted).toBe('a1 b1');
      expect(gate.eventsOf('late_report')).toEqual([
        { kind: 'late_report', permitId: gate.permitOf('a', 'a1'), holder: 'run-a', outcome: outcome.kind },
      ]);
    },
  );

  test('that were withdrawn before or after they were granted are free, and nobody is judged by them', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1, breakerFailures: 1 }) });
    gate
      .ask('a', 'a1', 'a2')
      .ask('b', 'b1')
      .mail(holder('a'), { withdrawals: ['a2'] });
    expect(gate.waiting).toBe(1);
    gate.mail(holder('a'), { withdrawals: ['a1'] });
    expect(gate.granted).toBe('a1 b1');
    expect(gate.book.details(gate.nowMs).breaker).toMatchObject({ state: 'closed', failuresInRow: 0 });
  });
});

describe('a gate that was started anew', () => {
  test('adopts what its holders hold, and keeps to its limit with them', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 2, requestsPerMinute: 60, burstLimit: 2 }) });
    const holding = [foreignPermit('a1', startMs + 50_000)];
    gate.mail(holder('a'), { requests: ['a2', 'a3'], holding });
    expect(gate.granted).toBe('a2');
    expect(gate.newsTo('a')?.granted.map(({ requestId }) => requestId)).toEqual(['a1', 'a2']);
    // They count for the rate, too: both tokens are gone.
    expect(gate.book.stats(gate.nowMs)).toMatchObject({ requests_last_minute: 2, burst_tokens_remaining: 0 });
    gate.after(1).mail(holder('a'), { reports: [{ permitId: 'foreign-a1', outcome: { kind: 'ok' } }] });
    expect(gate.granted).toBe('a2 a3');
    expect(gate.eventsOf('late_report')).toEqual([]);
  });

  test('adopts none twice, and none that is over', () => {
    const gate = new TestGate();
    const holding = [foreignPermit('a1', startMs + 50_000), foreignPermit('a2', startMs)];
    gate.mail(holder('a'), { holding }).mail(holder('a'), { holding });
    expect(gate.inUse).toBe(1);
    expect(gate.eventsOf('permit_adopted')).toHaveLength(1);
    gate.after(50);
    expect(gate.inUse).toBe(0);
  });

  test('does not grant again what its holder holds already', () => {
    const gate = new TestGate();
    gate.mail(holder('a'), { requests: ['a1'], holding: [foreignPermit('a1', startMs + 50_000)] });
    expect(gate.granted).toBe('');
    expect(gate.waiting).toBe(0);
  });
});

describe('a holder', () => {
  test('that leaves gives up all that it holds and waits for, and is told nothing more', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 2 }) });
    gate.ask('a', 'a1', 'a2', 'a3').ask('b', 'b1', 'b2').mail(holder('a'), { leaves: true });
    expect(gate.granted).toBe('a1 a2 b1 b2');
    expect(gate.waiting).toBe(0);
    expect(gate.newsTo('a')).toBeUndefined();
    expect(gate.book.details(gate.nowMs).permits.map(({ holder }) => holder)).toEqual(['run-b', 'run-b']);
  });

  test('that is lost loses all at once', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 2 }) });
    gate.ask('a', 'a1', 'a2', 'a3').ask('b', 'b1');
    gate.book.receive({ from: holder('a'), settings: gate.settings, requests: ['a3'] }, gate.nowMs);
    gate.book.lost(holder('a'), gate.nowMs);
    gate.advance();
    expect(gate.eventsOf('holder_lost')).toEqual([{ kind: 'holder_lost', holder: 'run-a', waiting: 1, permits: 2 }]);
    expect(gate.granted).toBe('a1 a2 b1');
    expect(gate.inUse).toBe(1);
    // It is not told anything either, though it had asked.
    expect(gate.newsTo('a')).toBeUndefined();
  });

  test('that comes back as another run of its workflow id has left behind all that it had', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) }).ask('a', 'a1', 'a2');
    const again = { workflowId: 'run-a', firstRunId: 'again' };
    gate.mail(again, { requests: ['a1', 'a2'] });
    expect(gate.eventsOf('holder_lost')).toEqual([{ kind: 'holder_lost', holder: 'run-a', waiting: 1, permits: 1 }]);
    expect(gate.newsTo('again')).toMatchObject({ granted: [{ requestId: 'a1' }], waiting: 1 });
    // A word about the earlier one that was long on its way is not about this one.
    gate.book.lost(holder('a'), gate.nowMs);
    expect(gate.inUse).toBe(1);
    expect(gate.waiting).toBe(1);
  });
});

describe('the rate', () => {
  test('50 a minute and bursts of ten: the gate wakes for each that it may grant', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 100, requestsPerMinute: 50, burstLimit: 10 }) });
    gate.ask('a', ...Array.from({ length: 60 }, (_, index) => `a${index}`));
    expect(gate.grants).toHaveLength(10);
    while (gate.waiting > 0) gate.sleep();
    const seconds = gate.grants.map(({ atMs }) => (atMs - startMs) / 1000);
    // 1.2 s for a token, up to the 50th; the 51st waits until the first ten have left the minute.
    expect(seconds[10]).toBe(1.2);
    expect(seconds[49]).toBe(48);
    expect(seconds[50]).toBe(60);
    expect(seconds[59]).toBe(60);
  });

  test('a changed setting comes with the next mail', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) }).ask('a', 'a1', 'a2');
    gate.settings = { limits: limitsOf({ maxConcurrent: 2 }) };
    gate.ask('b', 'b1');
    expect(gate.granted).toBe('a1 a2');
    expect(gate.book.stats(gate.nowMs).max_concurrent).toBe(2);
  });
});

describe('a throttle', () => {
  test.each([
    ['tokens per day limit exceeded', undefined, 86_400],
    ['Requests per minute limit exceeded', undefined, 60],
    ['slow down', undefined, 900],
    ['slow down', 1_000, 1_000],
  ])('%j, asked for %s s: suspended for %i s, and then goes on', (message, retryAfterSeconds, seconds) => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 2 }), throttle }).ask('a', 'a1').ask('b', 'b1', 'b2');
    gate.report('a', 'a1', { kind: 'rate_limited', message, retryAfterSeconds });
    const untilMs = startMs + seconds * 1000;
    for (const name of ['a', 'b']) expect(gate.newsTo(name)?.throttle).toEqual({ untilMs, reason: message });
    gate.report('b', 'b1');
    expect(gate.book.stats(gate.nowMs)).toMatchObject({
      ...{ throttled: true, throttle_reason: message, throttle_until: new Date(untilMs).toISOString() },
    });
    gate.after(seconds - 0.001);
    expect(gate.granted).toBe('a1 b1');
    expect(gate.book.wakeAtMs(gate.nowMs)).toBe(untilMs);
    gate.after(0.001);
    expect(gate.granted).toBe('a1 b1 b2');
    // Who went to another key has to hear of its end, too.
    expect(gate.newsTo('a')).toMatchObject({ waiting: 0 });
    expect(gate.newsTo('a')?.throttle).toBeUndefined();
    expect(gate.eventsOf('resumed')).toEqual([{ kind: 'resumed', byHand: false }]);
  });

  test('lasts as long as the longest that one of several calls was told', () => {
    const gate = new TestGate({ throttle }).ask('a', 'a1', 'a2', 'a3');
    gate.report('a', 'a1', limited('slow down')).report('a', 'a2', limited('requests per second limit exceeded'));
    expect(gate.newsTo('a')?.throttle).toEqual({ untilMs: startMs + 900_000, reason: 'slow down' });
    gate.report('a', 'a3', limited('tokens per day limit exceeded'));
    expect(gate.newsTo('a')?.throttle?.untilMs).toBe(startMs + 86_400_000);
  });

  test('ends for those, too, who wait for nothing at the time', () => {
    const gate = new TestGate({ throttle }).ask('a', 'a1').report('a', 'a1', limited('slow down'));
    expect(gate.waiting).toBe(0);
    expect(gate.book.wakeAtMs(gate.nowMs)).toBe(startMs + 900_000);
    gate.after(900);
    expect(gate.newsTo('a')).toMatchObject({ key: 'test/model', waiting: 0 });
    expect(gate.newsTo('a')?.throttle).toBeUndefined();
  });

  test('is none at a key that does not throttle', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) }).ask('a', 'a1').ask('b', 'b1');
    gate.report('a', 'a1', limited('tokens per day limit exceeded'));
    expect(gate.granted).toBe('a1 b1');
    expect(gate.book.stats(gate.nowMs).throttled).toBe(false);
    expect(gate.eventsOf('rate_limited')).toHaveLength(1);
  });

  test('by hand, and resumed by hand', () => {
    const gate = new TestGate().ask('a', 'a1');
    gate.book.throttleByHand(3_600, 'maintenance', gate.nowMs);
    gate.ask('b', 'b1');
    expect(gate.granted).toBe('a1');
    expect(gate.newsTo('b')?.throttle).toEqual({ untilMs: startMs + 3_600_000, reason: 'maintenance' });
    gate.after(60);
    gate.book.resumeByHand();
    gate.advance();
    expect(gate.granted).toBe('a1 b1');
    expect(gate.book.stats(gate.nowMs)).toMatchObject({
      throttled: false,
      throttle_until: null,
      throttle_reason: null,
    });
    expect(gate.eventsOf('resumed')).toEqual([{ kind: 'resumed', byHand: true }]);
  });
});

describe('limits by hand', () => {
  test('stand over the settings until they are taken back', () => {
    const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 3 }) }).ask('a', 'a1', 'a2', 'a3', 'a4');
    gate.book.setLimits({ maxConcurrent: 1, requestsPerHour: 7 });
    gate.report('a', 'a1').report('a', 'a2');
    // A setting that comes with the mail does not change them.
    expect(gate.book.stats(gate.nowMs)).toMatchObject({ max_concurrent: 1, limit_per_hour: 7, waiting: 1 });
    gate.book.setLimits({ maxConcurrent: null });
    gate.advance();
    expect(gate.granted).toBe('a1 a2 a3 a4');
    expect(gate.book.details(gate.nowMs)).toMatchObject({
      byHand: { requestsPerHour: 7 },
      limits: { maxConcurrent: 3 },
    });
    expect(gate.eventsOf('limits_set').map(({ byHand }) => byHand)).toEqual([
      { maxConcurrent: 1, requestsPerHour: 7 },
      { requestsPerHour: 7 },
    ]);
  });
});

describe('the breaker', () => {
  function opened(): TestGate {
    const gate = new TestGate().ask('a', 'a1', 'a2', 'a3', 'a4', 'a5');
    for (const request of ['a1', 'a2', 'a3', 'a4', 'a5']) gate.report('a', request, failed);
    return gate;
  }

  test('opens after five failures in a row for 60 s, and then lets one through', () => {
    const gate = opened();
    expect(gate.eventsOf('breaker_opened')).toEqual([{ kind: 'breaker_opened', seconds: 60, message: 'down' }]);
    gate.ask('c', 'c1', 'c2').after(59.999);
    expect(gate.granted).toBe('a1 a2 a3 a4 a5');
    expect(gate.book.wakeAtMs(gate.nowMs)).toBe(startMs + 60_000);
    gate.after(0.001);
    expect(gate.granted).toBe('a1 a2 a3 a4 a5 c1');
    gate.after(30);
    expect(gate.granted).toBe('a1 a2 a3 a4 a5 c1');
    gate.report('c', 'c1');
    expect(gate.granted).toBe('a1 a2 a3 a4 a5 c1 c2');
    expect(gate.eventsOf('breaker_closed')).toHaveLength(1);
  });

  test('opens again when the probe fails', () => {
    const gate = opened().ask('c', 'c1', 'c2').after(60).report('c', 'c1', failed);
    expect(gate.book.details(gate.nowMs).breaker).toEqual({
      ...{ state: 'open', failuresInRow: 5, until: new Date(startMs + 120_000).toISOString() },
    });
    expect(() => gate.permitOf('c', 'c2')).toThrow('nothing was granted');
    expect(gate.after(60).permitOf('c', 'c2')).toBeDefined();
  });

  test.each<[string, (gate: TestGate) => void]>([
    ['its permit expires', (gate) => gate.after(120)],
    ['its holder leaves', (gate) => gate.mail(holder('c'), { leaves: true })],
    ['its holder is lost', (gate) => gate.book.lost(holder('c'), gate.nowMs)],
    ['it is withdrawn', (gate) => gate.mail(holder('c'), { withdrawals: ['c1'] })],
    ['it was not used', (gate) => gate.report('c', 'c1', { kind: 'unused' })],
  ])('sends another probe where %s', (_, end) => {
    const gate = opened().ask('c', 'c1').ask('d', 'd1', 'd2').after(60);
    end(gate);
    gate.advance();
    expect(gate.permitOf('d', 'd1')).toBeDefined();
    expect(() => gate.permitOf('d', 'd2')).toThrow('nothing was granted');
  });

  test('is closed by hand', () => {
    const gate = opened().ask('c', 'c1');
    gate.book.resumeByHand();
    expect(gate.advance().permitOf('c', 'c1')).toBeDefined();
    expect(gate.eventsOf('breaker_closed')).toHaveLength(1);
  });
});

test('stats: every field, and no other', () => {
  const limits = limitsOf({ maxConcurrent: 2, requestsPerMinute: 50, requestsPerHour: 1_000, burstLimit: 10 });
  const gate = new TestGate({ limits, throttle }).ask('a', 'a1', 'a2').report('a', 'a1').after(90);
  gate.ask('b', 'b1', 'b2');
  expect(gate.book.stats(gate.nowMs)).toEqual({
    requests_last_minute: 1,
    limit_per_minute: 50,
    requests_last_hour: 3,
    limit_per_hour: 1_000,
    burst_tokens_remaining: 9,
    burst_limit: 10,
    total_requests_tracked: 3,
    permits_in_use: 2,
    max_concurrent: 2,
    waiting: 1,
    throttled: false,
    throttle_until: null,
    throttle_reason: null,
  });
  // Asked long after it was last woken.
  expect(gate.book.stats(gate.nowMs + 7_200_000)).toMatchObject({
    ...{ requests_last_minute: 0, requests_last_hour: 0, burst_tokens_remaining: 10, permits_in_use: 0 },
  });
});

test('details: who holds, who waits, and what was set', () => {
  const gate = new TestGate({ limits: limitsOf({ maxConcurrent: 1 }) }).ask('a', 'a1', 'a2').ask('b', 'b1');
  expect(gate.book.details(gate.nowMs)).toMatchObject({
    limits: gate.settings.limits,
    byHand: {},
    breaker: { state: 'closed', failuresInRow: 0, until: null },
    permits: [
      {
        ...{ permitId: gate.permitOf('a', 'a1'), holder: 'run-a', requestId: 'a1' },
        expiresAt: new Date(startMs + 120_000).toISOString(),
      },
    ],
    waiting: [
      { holder: 'run-a', requests: 1 },
      { holder: 'run-b', requests: 1 },
    ],
  });
});
