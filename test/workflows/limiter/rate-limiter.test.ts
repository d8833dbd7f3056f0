import { expect, test } from 'vitest';
import { newLimiter } from '../../../workflows/limiter/limiter-state.ts';
import { RateLimiter } from '../../../workflows/limiter/rate-limiter.ts';
import {
  callEndMs,
  foreignPermit,
  holder,
  wideLimits,
  startMs,
  type ReportedOutcome,
  SimulatedLimiter,
} from '../../support/simulated-limiter.ts';

const failed: ReportedOutcome = { kind: 'failed', message: 'down' };
const limited = (message: string): ReportedOutcome => ({ kind: 'rate_limited', message });
const throttle = { day: 86_400, rps: 60, other: 900 };

test('grants permits in order of arrival up to the limit, and each returned permit to the next request', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) });
  limiter.request('a', 'a1', 'a2', 'a3').request('b', 'b1').request('a', 'a4');
  expect(limiter.granted).toBe('a1 a2');
  limiter.report('a', 'a2');
  expect(limiter.granted).toBe('a1 a2 a3');
  limiter.report('a', 'a1').report('a', 'a3');
  expect(limiter.granted).toBe('a1 a2 a3 b1 a4');
  expect(limiter.inUse).toBe(2);
});

test('tells a holder all its permits, the number of its waiting requests and when they will be granted', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) });
  limiter.request('b', 'b1').request('a', 'a1', 'a2');
  expect(limiter.updateTo('b')).toBeUndefined();
  // A call is assumed to take 10 s.
  expect(limiter.updateTo('a')).toEqual({
    key: 'test/model',
    to: holder('a'),
    granted: [],
    waiting: 2,
    lastGrantAtMs: startMs + 20_000,
  });
  limiter.report('b', 'b1');
  const [a1] = limiter.updateTo('a')?.granted ?? [];
  expect(a1).toEqual({ permitId: limiter.permitOf('a', 'a1'), requestId: 'a1', expiresAtMs: startMs + 120_000 });
  // An update may be lost, so the next one lists its permits again.
  expect(limiter.request('a', 'a2').updateTo('a')?.granted).toEqual([a1]);
});

test('grants a request that arrives twice once, at its first place', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) });
  limiter.request('a', 'a1', 'a2').request('b', 'b1').request('a', 'a1', 'a2');
  expect(limiter.waiting).toBe(2);
  limiter.report('a', 'a1').report('a', 'a2').report('b', 'b1');
  expect(limiter.granted).toBe('a1 a2 b1');
});

test('keeps requests of two holders with the same id apart', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) })
    .request('a', '0.1', '0.2')
    .request('b', '0.1', '0.2');
  expect(limiter.waiting).toBe(3);
  limiter.report('a', '0.1').report('a', '0.2').report('b', '0.1');
  expect(limiter.grants.map(({ holder, requestId }) => `${holder} ${requestId}`)).toEqual([
    ...['run-a 0.1', 'run-a 0.2', 'run-b 0.1', 'run-b 0.2'],
  ]);
});

test('expires a permit after 120 s without a report and grants the next request', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) })
    .request('a', 'a1')
    .request('b', 'b1');
  expect(limiter.rateLimiter.wakeAtMs(limiter.nowMs)).toBe(startMs + 120_000);
  limiter.after(119.999);
  expect(limiter.granted).toBe('a1');
  limiter.after(0.001);
  expect(limiter.granted).toBe('a1 b1');
  expect(limiter.inUse).toBe(1);
  expect(limiter.eventsOf('permit_expired')).toMatchObject([{ holder: 'run-a', requestId: 'a1' }]);
});

test.each<ReportedOutcome>([{ kind: 'ok' }, failed, limited('tokens per day limit exceeded'), { kind: 'unused' }])(
  'ignores a report of $kind after the permit has ended',
  (outcome) => {
    const limits = wideLimits({ maxConcurrent: 1, breakerFailures: 1 });
    const limiter = new SimulatedLimiter({ limits, throttle })
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

test('frees a request withdrawn before or after its grant without counting it for the breaker', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1, breakerFailures: 1 }) });
  limiter
    .request('a', 'a1', 'a2')
    .request('b', 'b1')
    .send(holder('a'), { withdrawals: ['a2'] });
  expect(limiter.waiting).toBe(1);
  limiter.send(holder('a'), { withdrawals: ['a1'] });
  expect(limiter.granted).toBe('a1 b1');
  expect(limiter.rateLimiter.details(limiter.nowMs).breaker).toMatchObject({ state: 'closed', failuresInRow: 0 });
});

const narrow = () =>
  new SimulatedLimiter({ limits: wideLimits({ requestsPerMinute: 60, requestsPerHour: 3, burstLimit: 3 }) });
const counted = { requests_last_minute: 2, requests_last_hour: 2, burst_tokens_remaining: 1 };

test.each<[string, (limiter: SimulatedLimiter) => void]>([
  ['is given back', (limiter) => limiter.report('a', 'a2', { kind: 'unused' })],
  ['is withdrawn', (limiter) => limiter.send(holder('a'), { withdrawals: ['a2'] })],
])('a permit without a call counts for no limit if it %s', (_, giveBack) => {
  const limiter = narrow().request('a', 'a1', 'a2', 'a3');
  giveBack(limiter);
  expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject(counted);
  expect(limiter.request('a', 'a4', 'a5').granted).toBe('a1 a2 a3 a4');
});

test.each<ReportedOutcome>([{ kind: 'broken_off' }, { kind: 'ok' }])(
  'a permit counts for the limits if it ends as %j',
  (outcome) => {
    const limiter = narrow().request('a', 'a1', 'a2', 'a3').report('a', 'a2', outcome).request('a', 'a4');
    expect(limiter.granted).toBe('a1 a2 a3');
  },
);

const limits = wideLimits({ maxConcurrent: 50 });
const requests = Array.from({ length: 30 }, (_, index) => `a${index}`);
const report = (limiter: SimulatedLimiter, workerId: string, slots: number) => {
  limiter.rateLimiter.receiveSlots({ workerId, slots }, limiter.nowMs);
  return limiter.advance();
};

test('grants no more permits than the workers have slots, as workers come and go', () => {
  const limiter = new SimulatedLimiter({ limits });
  limiter.send(holder('a'), { requests, worker: { workerId: 'w1', slots: 5 } });
  expect(limiter.inUse).toBe(5);
  expect(report(limiter, 'w2', 7).inUse).toBe(12);
  expect(report(limiter, 'w1', 5).inUse).toBe(12);
  expect(limiter.rateLimiter.details(limiter.nowMs)).toMatchObject({ slots: 12, stats: { max_concurrent: 50 } });
  report(limiter, 'w2', 0);
  for (const request of requests.slice(0, 7)) limiter.report('a', request);
  expect(limiter.inUse).toBe(5);
});

test('drops the slots of a worker that is silent for 150 s; without any worker, only maxConcurrent counts', () => {
  const limiter = new SimulatedLimiter({ limits: { ...limits, permitSeconds: 600 } });
  report(report(limiter, 'w1', 5), 'w2', 7);
  limiter.after(100);
  report(limiter, 'w1', 5).request('a', ...requests);
  expect(limiter.inUse).toBe(12);
  expect(limiter.continueAsNew().after(50).rateLimiter.details(limiter.nowMs).slots).toBe(5);
  expect(limiter.after(100).inUse).toBe(30);
});

test('a restarted limiter adopts its holders’ permits and counts them for its limits', () => {
  const limiter = new SimulatedLimiter({
    limits: wideLimits({ maxConcurrent: 2, requestsPerMinute: 60, burstLimit: 2 }),
  });
  const holding = [foreignPermit('a1', startMs + 50_000)];
  limiter.send(holder('a'), { requests: ['a2', 'a3'], holding });
  expect(limiter.granted).toBe('a2');
  expect(limiter.updateTo('a')?.granted.map(({ requestId }) => requestId)).toEqual(['a1', 'a2']);
  // Adopted permits count for the rate, so both tokens are gone.
  expect(limiter.rateLimiter.stats(limiter.nowMs)).toMatchObject({
    requests_last_minute: 2,
    burst_tokens_remaining: 0,
  });
  limiter.after(1).send(holder('a'), { reports: [{ permitId: 'foreign-a1', outcome: { kind: 'ok' } }] });
  expect(limiter.granted).toBe('a2 a3');
  expect(limiter.eventsOf('late_report')).toEqual([]);
});

test('a restarted limiter adopts each permit once, and none that has expired', () => {
  const limiter = new SimulatedLimiter();
  const holding = [foreignPermit('a1', startMs + 50_000), foreignPermit('a2', startMs)];
  limiter.send(holder('a'), { holding }).send(holder('a'), { holding });
  expect(limiter.inUse).toBe(1);
  expect(limiter.eventsOf('permit_adopted')).toHaveLength(1);
  limiter.after(50);
  expect(limiter.inUse).toBe(0);
});

test('a restarted limiter does not grant a permit that its holder has', () => {
  const limiter = new SimulatedLimiter();
  limiter.send(holder('a'), { requests: ['a1'], holding: [foreignPermit('a1', startMs + 50_000)] });
  expect(limiter.granted).toBe('');
  expect(limiter.waiting).toBe(0);
});

test('a holder that leaves loses its requests at once, and its permits once its calls must have ended', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) });
  limiter.request('a', 'a1', 'a2', 'a3').request('b', 'b1', 'b2').send(holder('a'), { leaves: true });
  expect(limiter.updateTo('a')).toBeUndefined();
  expect(limiter.waiting).toBe(2);
  // The calls of a cancelled run may still be in progress.
  limiter.after(callEndMs / 1000 - 0.001);
  expect(limiter.granted).toBe('a1 a2');
  limiter.after(0.001);
  expect(limiter.granted).toBe('a1 a2 b1 b2');
  expect(limiter.waiting).toBe(0);
  expect(limiter.rateLimiter.details(limiter.nowMs).permits.map(({ holder }) => holder)).toEqual(['run-b', 'run-b']);
});

test('a lost holder loses its requests at once, and its permits once its calls must have ended', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) });
  limiter.request('a', 'a1', 'a2', 'a3').request('b', 'b1');
  limiter.rateLimiter.receive({ from: holder('a'), settings: limiter.settings, requests: ['a3'] }, limiter.nowMs);
  limiter.rateLimiter.dropLostHolder(holder('a'), limiter.nowMs);
  limiter.advance();
  expect(limiter.eventsOf('holder_lost')).toEqual([{ kind: 'holder_lost', holder: 'run-a', waiting: 1, permits: 2 }]);
  // The lost holder does not get its due update.
  expect(limiter.updateTo('a')).toBeUndefined();
  limiter.report('a', 'a1').after(callEndMs / 1000 - 0.001);
  expect(limiter.granted).toBe('a1 a2');
  limiter.after(0.001);
  expect(limiter.granted).toBe('a1 a2 b1');
  expect(limiter.inUse).toBe(1);
});

test('a run that was reset does not use the permits of its former calls, which may still be in progress', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) });
  limiter.request('a', 'a1', 'a2', 'a3');
  const reset = { ...holder('a'), runId: 'reset' };
  const reports = [{ permitId: limiter.permitOf('a', 'a2'), outcome: { kind: 'broken_off' } as const }];
  limiter.send(reset, { requests: ['a1', 'a2', 'a3'], holding: [], reports });
  expect(limiter.updateTo('a')).toMatchObject({ granted: [], waiting: 3 });
  limiter.continueAsNew().after(callEndMs / 1000);
  expect(limiter.updateTo('a')).toMatchObject({ granted: [{ requestId: 'a3' }, { requestId: 'a1' }], waiting: 1 });
  expect(limiter.inUse).toBe(2);
  // The new run keeps what is granted to it from then on, also once it continues as new.
  limiter.send(reset, { holding: [] }).send(holder('a'), { requests: ['a2'] });
  expect(limiter.inUse).toBe(2);
  limiter.report('a', 'a1').report('a', 'a3');
  expect(limiter.granted).toBe('a1 a2 a3 a1 a2');
});

test('a run that was reset keeps the permits that it names', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 2 }) }).request('a', 'a1', 'a2', 'a3');
  const reset = { ...holder('a'), runId: 'reset' };
  const [named] = limiter.rateLimiter.details(limiter.nowMs).permits;
  const holding = [{ permitId: named?.permitId ?? '', requestId: 'a1', expiresAtMs: startMs + 120_000 }];
  limiter.send(reset, { requests: ['a3'], holding });
  limiter.send(reset, { reports: [{ permitId: named?.permitId ?? '', outcome: { kind: 'ok' } }] });
  expect(limiter.granted).toBe('a1 a2 a3');
  expect(limiter.inUse).toBe(2);
});

test('a rate limit that a run reports first after its reset throttles the key', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }), throttle }).request('a', 'a1');
  const reports = [{ permitId: limiter.permitOf('a', 'a1'), outcome: limited('slow down') }];
  limiter.send({ ...holder('a'), runId: 'reset' }, { requests: ['a2'], holding: [], reports });
  expect(limiter.updateTo('a')).toMatchObject({ granted: [], waiting: 1, throttle: { reason: 'slow down' } });
  expect(limiter.inUse).toBe(0);
});

test('a limiter that began with an older version ignores that a run was reset', () => {
  const settings = { limits: wideLimits({ maxConcurrent: 1 }) };
  const older = { callEndMs: 0, leaverCallEndMs: 0, chooseSettings: () => settings, keepsLongerThrottle: false };
  const options = { permitId: String, refundsUnused: true, ...older, onEvent: () => undefined };
  const limiter = new RateLimiter(newLimiter('test/model', settings), options);
  limiter.receive({ from: holder('a'), settings, requests: ['a1'] }, startMs);
  limiter.advance(startMs);
  limiter.receive({ from: holder('b'), settings, requests: ['b1'] }, startMs);
  limiter.receive({ from: { ...holder('a'), runId: 'reset' }, settings, requests: ['a1'], holding: [] }, startMs);
  const answers = limiter.advance(startMs).map(({ to, granted }) => [to.firstRunId, granted.length]);
  expect(answers).toEqual([
    ['b', 0],
    ['a', 1],
  ]);
});

test('a new run with the same workflow id replaces the holder of the earlier run', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) }).request('a', 'a1', 'a2');
  const again = { workflowId: 'run-a', firstRunId: 'again' };
  limiter.send(again, { requests: ['a1', 'a2'] });
  expect(limiter.eventsOf('holder_lost')).toEqual([{ kind: 'holder_lost', holder: 'run-a', waiting: 1, permits: 1 }]);
  expect(limiter.updateTo('again')).toMatchObject({ granted: [], waiting: 2 });
  limiter.after(callEndMs / 1000);
  expect(limiter.updateTo('again')).toMatchObject({ granted: [{ requestId: 'a1' }], waiting: 1 });
  // Noticing the loss of the earlier run late does not affect the new one.
  limiter.rateLimiter.dropLostHolder(holder('a'), limiter.nowMs);
  expect(limiter.inUse).toBe(1);
  expect(limiter.waiting).toBe(1);
});

test('keeps a rate of 50 per minute with bursts of ten, and wakes for each grant', () => {
  const limiter = new SimulatedLimiter({
    limits: wideLimits({ maxConcurrent: 100, requestsPerMinute: 50, burstLimit: 10 }),
  });
  limiter.request('a', ...Array.from({ length: 60 }, (_, index) => `a${index}`));
  expect(limiter.grants).toHaveLength(10);
  while (limiter.waiting > 0) limiter.sleep();
  const seconds = limiter.grants.map(({ atMs }) => (atMs - startMs) / 1000);
  // A token takes 1.2 s up to the 50th grant; the 51st waits until the first ten have left the minute.
  expect(seconds[10]).toBe(1.2);
  expect(seconds[49]).toBe(48);
  expect(seconds[50]).toBe(60);
  expect(seconds[59]).toBe(60);
});

test('settings that a run has read earlier do not replace newer ones', () => {
  const older = { limits: wideLimits({ maxConcurrent: 3, permitSeconds: 300 }), readAtMs: startMs };
  const limiter = new SimulatedLimiter(older).request('a', 'a1', 'a2');
  const newer = { limits: wideLimits({ maxConcurrent: 1 }), readAtMs: startMs + 1 };
  limiter.settings = newer;
  limiter.request('b', 'b1');
  limiter.settings = older;
  limiter.report('a', 'a1');
  expect(limiter.granted).toBe('a1 a2');
  expect(limiter.rateLimiter.stats(limiter.nowMs).max_concurrent).toBe(1);
  limiter.report('a', 'a2').request('a', 'a3');
  // A call of the earlier run still fits into its permit, although a message of the later run grants it.
  limiter.settings = newer;
  limiter.report('b', 'b1');
  expect(limiter.updateTo('a')?.granted).toMatchObject([{ requestId: 'a3', expiresAtMs: startMs + 300_000 }]);
});

test('applies the settings of the next message', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) }).request('a', 'a1', 'a2');
  limiter.settings = { limits: wideLimits({ maxConcurrent: 2 }) };
  limiter.request('b', 'b1');
  expect(limiter.granted).toBe('a1 a2');
  expect(limiter.rateLimiter.stats(limiter.nowMs).max_concurrent).toBe(2);
});
