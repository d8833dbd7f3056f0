import { describe, expect, test } from 'vitest';
import { foreignPermit, holder, limitsOf, startMs, type ReportedOutcome, TestLimiter } from './support.ts';

const failed: ReportedOutcome = { kind: 'failed', message: 'down' };
const limited = (message: string): ReportedOutcome => ({ kind: 'rate_limited', message });
const throttle = { day: 86_400, rps: 60, other: 900 };

describe('permits', () => {
  test('go out in order of arrival, as many as are allowed, and each that comes back to the next', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 2 }) });
    limiter.request('a', 'a1', 'a2', 'a3').request('b', 'b1').request('a', 'a4');
    expect(limiter.granted).toBe('a1 a2');
    limiter.report('a', 'a2');
    expect(limiter.granted).toBe('a1 a2 a3');
    limiter.report('a', 'a1').report('a', 'a3');
    expect(limiter.granted).toBe('a1 a2 a3 b1 a4');
    expect(limiter.inUse).toBe(2);
  });

  test('are told to their holder with all that it holds, what still waits, and when that is expected', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) });
    limiter.request('b', 'b1').request('a', 'a1', 'a2');
    expect(limiter.updateTo('b')).toBeUndefined();
    // A call is presumed to take 10 s.
    expect(limiter.updateTo('a')).toEqual({
      ...{ key: 'test/model', to: holder('a'), granted: [], waiting: 2 },
      lastGrantAtMs: startMs + 20_000,
    });
    limiter.report('b', 'b1');
    const [a1] = limiter.updateTo('a')?.granted ?? [];
    expect(a1).toEqual({ permitId: limiter.permitOf('a', 'a1'), requestId: 'a1', expiresAtMs: startMs + 120_000 });
    // An answer may have been lost: it comes again with the next one.
    expect(limiter.request('a', 'a2').updateTo('a')?.granted).toEqual([a1]);
  });

  test('asked for twice, keep their place and are granted once', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) });
    limiter.request('a', 'a1', 'a2').request('b', 'b1').request('a', 'a1', 'a2');
    expect(limiter.waiting).toBe(2);
    limiter.report('a', 'a1').report('a', 'a2').report('b', 'b1');
    expect(limiter.granted).toBe('a1 a2 b1');
  });

  test('the same request of two holders is two', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) })
      .request('a', '0.1', '0.2')
      .request('b', '0.1', '0.2');
    expect(limiter.waiting).toBe(3);
    limiter.report('a', '0.1').report('a', '0.2').report('b', '0.1');
    expect(limiter.grants.map(({ holder, requestId }) => `${holder} ${requestId}`)).toEqual([
      ...['run-a 0.1', 'run-a 0.2', 'run-b 0.1', 'run-b 0.2'],
    ]);
  });

  test('live 120 s: a holder that says nothing loses its own to the next one', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) }).request('a', 'a1').request('b', 'b1');
    expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(startMs + 120_000);
    limiter.after(119.999);
    expect(limiter.granted).toBe('a1');
    limiter.after(0.001);
    expect(limiter.granted).toBe('a1 b1');
    expect(limiter.inUse).toBe(1);
    expect(limiter.eventsOf('permit_expired')).toMatchObject([{ holder: 'run-a', requestId: 'a1' }]);
  });

  test.each<ReportedOutcome>([{ kind: 'ok' }, failed, limited('tokens per day limit exceeded'), { kind: 'unused' }])(
    'are fenced: a report of $kind that comes after the permit is over changes nothing',
    (outcome) => {
      const limits = limitsOf({ maxConcurrent: 1, breakerFailures: 1 });
      const limiter = new TestLimiter({ limits, throttle })
        .request('a', 'a1')
        .request('b', 'b1')
        .request('c', 'c1')
        .after(120);
      const before = limiter.rateLimiter.state();
      limiter.report('a', 'a1', outcome);
      expect(limiter.rateLimiter.state()).toEqual(before);
      expect(limiter.granted).toBe('a1 b1');
      expect(limiter.eventsOf('late_report')).toEqual([
        { kind: 'late_report', permitId: limiter.permitOf('a', 'a1'), holder: 'run-a', outcome: outcome.kind },
      ]);
    },
  );

  test('that were withdrawn before or after they were granted are free, and nobody is judged by them', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1, breakerFailures: 1 }) });
    limiter
      .request('a', 'a1', 'a2')
      .request('b', 'b1')
      .send(holder('a'), { withdrawals: ['a2'] });
    expect(limiter.waiting).toBe(1);
    limiter.send(holder('a'), { withdrawals: ['a1'] });
    expect(limiter.granted).toBe('a1 b1');
    expect(limiter.rateLimiter.details(limiter.nowMs).breaker).toMatchObject({ state: 'closed', failuresInRow: 0 });
  });
});

describe('a limiter that was started anew', () => {
  test('adopts what its holders hold, and keeps to its limit with them', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 2, requestsPerMinute: 60, burstLimit: 2 }) });
    const holding = [foreignPermit('a1', startMs + 50_000)];
    limiter.send(holder('a'), { requests: ['a2', 'a3'], holding });
    expect(limiter.granted).toBe('a2');
    expect(limiter.updateTo('a')?.granted.map(({ requestId }) => requestId)).toEqual(['a1', 'a2']);
    // They count for the rate, too: both tokens are gone.
    expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
      requests_last_minute: 2,
      burst_tokens_remaining: 0,
    });
    limiter.after(1).send(holder('a'), { reports: [{ permitId: 'foreign-a1', outcome: { kind: 'ok' } }] });
    expect(limiter.granted).toBe('a2 a3');
    expect(limiter.eventsOf('late_report')).toEqual([]);
  });

  test('adopts none twice, and none that is over', () => {
    const limiter = new TestLimiter();
    const holding = [foreignPermit('a1', startMs + 50_000), foreignPermit('a2', startMs)];
    limiter.send(holder('a'), { holding }).send(holder('a'), { holding });
    expect(limiter.inUse).toBe(1);
    expect(limiter.eventsOf('permit_adopted')).toHaveLength(1);
    limiter.after(50);
    expect(limiter.inUse).toBe(0);
  });

  test('does not grant again what its holder holds already', () => {
    const limiter = new TestLimiter();
    limiter.send(holder('a'), { requests: ['a1'], holding: [foreignPermit('a1', startMs + 50_000)] });
    expect(limiter.granted).toBe('');
    expect(limiter.waiting).toBe(0);
  });
});

describe('a holder', () => {
  test('that leaves gives up all that it holds and waits for, and is told nothing more', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 2 }) });
    limiter.request('a', 'a1', 'a2', 'a3').request('b', 'b1', 'b2').send(holder('a'), { leaves: true });
    expect(limiter.granted).toBe('a1 a2 b1 b2');
    expect(limiter.waiting).toBe(0);
    expect(limiter.updateTo('a')).toBeUndefined();
    expect(limiter.rateLimiter.details(limiter.nowMs).permits.map(({ holder }) => holder)).toEqual(['run-b', 'run-b']);
  });

  test('that is lost loses all at once', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 2 }) });
    limiter.request('a', 'a1', 'a2', 'a3').request('b', 'b1');
    limiter.rateLimiter.receive({ from: holder('a'), settings: limiter.settings, requests: ['a3'] }, limiter.nowMs);
    limiter.rateLimiter.dropLostHolder(holder('a'), limiter.nowMs);
    limiter.advance();
    expect(limiter.eventsOf('holder_lost')).toEqual([{ kind: 'holder_lost', holder: 'run-a', waiting: 1, permits: 2 }]);
    expect(limiter.granted).toBe('a1 a2 b1');
    expect(limiter.inUse).toBe(1);
    // It is not told anything either, though it had asked.
    expect(limiter.updateTo('a')).toBeUndefined();
  });

  test('that comes back as another run of its workflow id has left behind all that it had', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) }).request('a', 'a1', 'a2');
    const again = { workflowId: 'run-a', firstRunId: 'again' };
    limiter.send(again, { requests: ['a1', 'a2'] });
    expect(limiter.eventsOf('holder_lost')).toEqual([{ kind: 'holder_lost', holder: 'run-a', waiting: 1, permits: 1 }]);
    expect(limiter.updateTo('again')).toMatchObject({ granted: [{ requestId: 'a1' }], waiting: 1 });
    // A word about the earlier one that was long on its way is not about this one.
    limiter.rateLimiter.dropLostHolder(holder('a'), limiter.nowMs);
    expect(limiter.inUse).toBe(1);
    expect(limiter.waiting).toBe(1);
  });
});

describe('the rate', () => {
  test('50 a minute and bursts of ten: the limiter wakes for each that it may grant', () => {
    const limiter = new TestLimiter({
      limits: limitsOf({ maxConcurrent: 100, requestsPerMinute: 50, burstLimit: 10 }),
    });
    limiter.request('a', ...Array.from({ length: 60 }, (_, index) => `a${index}`));
    expect(limiter.grants).toHaveLength(10);
    while (limiter.waiting > 0) limiter.sleep();
    const seconds = limiter.grants.map(({ atMs }) => (atMs - startMs) / 1000);
    // 1.2 s for a token, up to the 50th; the 51st waits until the first ten have left the minute.
    expect(seconds[10]).toBe(1.2);
    expect(seconds[49]).toBe(48);
    expect(seconds[50]).toBe(60);
    expect(seconds[59]).toBe(60);
  });

  test('a changed setting comes with the next mail', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) }).request('a', 'a1', 'a2');
    limiter.settings = { limits: limitsOf({ maxConcurrent: 2 }) };
    limiter.request('b', 'b1');
    expect(limiter.granted).toBe('a1 a2');
    expect(limiter.rateLimiter.stats(limiter.nowMs).max_concurrent).toBe(2);
  });
});

describe('a throttle', () => {
  test.each([
    ['tokens per day limit exceeded', undefined, 86_400],
    ['Requests per minute limit exceeded', undefined, 60],
    ['slow down', undefined, 900],
    ['slow down', 1_000, 1_000],
  ])('%j, asked for %s s: suspended for %i s, and then goes on', (message, retryAfterSeconds, seconds) => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 2 }), throttle })
      .request('a', 'a1')
      .request('b', 'b1', 'b2');
    limiter.report('a', 'a1', { kind: 'rate_limited', message, retryAfterSeconds });
    const untilMs = startMs + seconds * 1000;
    for (const name of ['a', 'b']) expect(limiter.updateTo(name)?.throttle).toEqual({ untilMs, reason: message });
    limiter.report('b', 'b1');
    expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
      ...{ throttled: true, throttle_reason: message, throttle_until: new Date(untilMs).toISOString() },
    });
    limiter.after(seconds - 0.001);
    expect(limiter.granted).toBe('a1 b1');
    expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(untilMs);
    limiter.after(0.001);
    expect(limiter.granted).toBe('a1 b1 b2');
    // Who went to another key has to hear of its end, too.
    expect(limiter.updateTo('a')).toMatchObject({ waiting: 0 });
    expect(limiter.updateTo('a')?.throttle).toBeUndefined();
    expect(limiter.eventsOf('resumed')).toEqual([{ kind: 'resumed', override: false }]);
  });

  test('lasts as long as the longest that one of several calls was told', () => {
    const limiter = new TestLimiter({ throttle }).request('a', 'a1', 'a2', 'a3');
    limiter.report('a', 'a1', limited('slow down')).report('a', 'a2', limited('requests per second limit exceeded'));
    expect(limiter.updateTo('a')?.throttle).toEqual({ untilMs: startMs + 900_000, reason: 'slow down' });
    limiter.report('a', 'a3', limited('tokens per day limit exceeded'));
    expect(limiter.updateTo('a')?.throttle?.untilMs).toBe(startMs + 86_400_000);
  });

  test('ends for those, too, who wait for nothing at the time', () => {
    const limiter = new TestLimiter({ throttle }).request('a', 'a1').report('a', 'a1', limited('slow down'));
    expect(limiter.waiting).toBe(0);
    expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(startMs + 900_000);
    limiter.after(900);
    expect(limiter.updateTo('a')).toMatchObject({ key: 'test/model', waiting: 0 });
    expect(limiter.updateTo('a')?.throttle).toBeUndefined();
  });

  test('is none at a key that does not throttle', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) }).request('a', 'a1').request('b', 'b1');
    limiter.report('a', 'a1', limited('tokens per day limit exceeded'));
    expect(limiter.granted).toBe('a1 b1');
    expect(limiter.rateLimiter.stats(limiter.nowMs).throttled).toBe(false);
    expect(limiter.eventsOf('rate_limited')).toHaveLength(1);
  });

  test('by hand, and resumed by hand', () => {
    const limiter = new TestLimiter().request('a', 'a1');
    limiter.rateLimiter.overrideThrottle(3_600, 'maintenance', limiter.nowMs);
    limiter.request('b', 'b1');
    expect(limiter.granted).toBe('a1');
    expect(limiter.updateTo('b')?.throttle).toEqual({ untilMs: startMs + 3_600_000, reason: 'maintenance' });
    limiter.after(60);
    limiter.rateLimiter.overrideResume();
    limiter.advance();
    expect(limiter.granted).toBe('a1 b1');
    expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
      throttled: false,
      throttle_until: null,
      throttle_reason: null,
    });
    expect(limiter.eventsOf('resumed')).toEqual([{ kind: 'resumed', override: true }]);
  });
});

describe('limits by hand', () => {
  test('stand over the settings until they are taken back', () => {
    const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 3 }) }).request('a', 'a1', 'a2', 'a3', 'a4');
    limiter.rateLimiter.setLimits({ maxConcurrent: 1, requestsPerHour: 7 });
    limiter.report('a', 'a1').report('a', 'a2');
    // A setting that comes with the mail does not change them.
    expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
      max_concurrent: 1,
      limit_per_hour: 7,
      waiting: 1,
    });
    limiter.rateLimiter.setLimits({ maxConcurrent: null });
    limiter.advance();
    expect(limiter.granted).toBe('a1 a2 a3 a4');
    expect(limiter.rateLimiter.details(limiter.nowMs)).toMatchObject({
      override: { requestsPerHour: 7 },
      limits: { maxConcurrent: 3 },
    });
    expect(limiter.eventsOf('limits_set').map(({ override }) => override)).toEqual([
      { maxConcurrent: 1, requestsPerHour: 7 },
      { requestsPerHour: 7 },
    ]);
  });
});

describe('the breaker', () => {
  function opened(): TestLimiter {
    const limiter = new TestLimiter().request('a', 'a1', 'a2', 'a3', 'a4', 'a5');
    for (const request of ['a1', 'a2', 'a3', 'a4', 'a5']) limiter.report('a', request, failed);
    return limiter;
  }

  test('opens after five failures in a row for 60 s, and then lets one through', () => {
    const limiter = opened();
    expect(limiter.eventsOf('breaker_opened')).toEqual([{ kind: 'breaker_opened', seconds: 60, message: 'down' }]);
    limiter.request('c', 'c1', 'c2').after(59.999);
    expect(limiter.granted).toBe('a1 a2 a3 a4 a5');
    expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(startMs + 60_000);
    limiter.after(0.001);
    expect(limiter.granted).toBe('a1 a2 a3 a4 a5 c1');
    limiter.after(30);
    expect(limiter.granted).toBe('a1 a2 a3 a4 a5 c1');
    limiter.report('c', 'c1');
    expect(limiter.granted).toBe('a1 a2 a3 a4 a5 c1 c2');
    expect(limiter.eventsOf('breaker_closed')).toHaveLength(1);
  });

  test('opens again when the probe fails', () => {
    const limiter = opened().request('c', 'c1', 'c2').after(60).report('c', 'c1', failed);
    expect(limiter.rateLimiter.details(limiter.nowMs).breaker).toEqual({
      ...{ state: 'open', failuresInRow: 5, until: new Date(startMs + 120_000).toISOString() },
    });
    expect(() => limiter.permitOf('c', 'c2')).toThrow('nothing was granted');
    expect(limiter.after(60).permitOf('c', 'c2')).toBeDefined();
  });

  test.each<[string, (limiter: TestLimiter) => void]>([
    ['its permit expires', (limiter) => limiter.after(120)],
    ['its holder leaves', (limiter) => limiter.send(holder('c'), { leaves: true })],
    ['its holder is lost', (limiter) => limiter.rateLimiter.dropLostHolder(holder('c'), limiter.nowMs)],
    ['it is withdrawn', (limiter) => limiter.send(holder('c'), { withdrawals: ['c1'] })],
    ['it was not used', (limiter) => limiter.report('c', 'c1', { kind: 'unused' })],
  ])('sends another probe where %s', (_, end) => {
    const limiter = opened().request('c', 'c1').request('d', 'd1', 'd2').after(60);
    end(limiter);
    limiter.advance();
    expect(limiter.permitOf('d', 'd1')).toBeDefined();
    expect(() => limiter.permitOf('d', 'd2')).toThrow('nothing was granted');
  });

  test('is closed by hand', () => {
    const limiter = opened().request('c', 'c1');
    limiter.rateLimiter.overrideResume();
    expect(limiter.advance().permitOf('c', 'c1')).toBeDefined();
    expect(limiter.eventsOf('breaker_closed')).toHaveLength(1);
  });
});

test('stats: every field, and no other', () => {
  const limits = limitsOf({ maxConcurrent: 2, requestsPerMinute: 50, requestsPerHour: 1_000, burstLimit: 10 });
  const limiter = new TestLimiter({ limits, throttle }).request('a', 'a1', 'a2').report('a', 'a1').after(90);
  limiter.request('b', 'b1', 'b2');
  expect(limiter.rateLimiter.stats(limiter.nowMs)).toEqual({
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
  expect(limiter.rateLimiter.stats(limiter.nowMs + 7_200_000)).toMatchObject({
    ...{ requests_last_minute: 0, requests_last_hour: 0, burst_tokens_remaining: 10, permits_in_use: 0 },
  });
});

test('details: who holds, who waits, and what was set', () => {
  const limiter = new TestLimiter({ limits: limitsOf({ maxConcurrent: 1 }) })
    .request('a', 'a1', 'a2')
    .request('b', 'b1');
  expect(limiter.rateLimiter.details(limiter.nowMs)).toMatchObject({
    limits: limiter.settings.limits,
    override: {},
    breaker: { state: 'closed', failuresInRow: 0, until: null },
    permits: [
      {
        ...{ permitId: limiter.permitOf('a', 'a1'), holder: 'run-a', requestId: 'a1' },
        expiresAt: new Date(startMs + 120_000).toISOString(),
      },
    ],
    waiting: [
      { holder: 'run-a', requests: 1 },
      { holder: 'run-b', requests: 1 },
    ],
  });
});
