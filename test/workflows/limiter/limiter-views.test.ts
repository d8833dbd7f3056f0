import { expect, test } from 'vitest';
import { startMs, SimulatedLimiter, wideLimits } from '../../support/simulated-limiter.ts';

const throttle = { day: 86_400, rps: 60, other: 900 };

test('stats have exactly the fields of the contract', () => {
  const limits = wideLimits({ maxConcurrent: 2, requestsPerMinute: 50, requestsPerHour: 1_000, burstLimit: 10 });
  const limiter = new SimulatedLimiter({ limits, throttle }).request('a', 'a1', 'a2').report('a', 'a1').after(90);
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
  // The query comes long after the limiter last woke.
  expect(limiter.rateLimiter.stats(limiter.nowMs + 7_200_000)).toMatchObject({
    requests_last_minute: 0,
    requests_last_hour: 0,
    burst_tokens_remaining: 10,
    permits_in_use: 0,
  });
});

test('details list holders of permits, waiting holders and overrides', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) })
    .request('a', 'a1', 'a2')
    .request('b', 'b1');
  expect(limiter.rateLimiter.details(limiter.nowMs)).toMatchObject({
    limits: limiter.settings.limits,
    override: {},
    breaker: { state: 'closed', failuresInRow: 0, until: null },
    permits: [
      {
        permitId: limiter.permitOf('a', 'a1'),
        holder: 'run-a',
        requestId: 'a1',
        expiresAt: new Date(startMs + 120_000).toISOString(),
      },
    ],
    waiting: [
      { holder: 'run-a', requests: 1 },
      { holder: 'run-b', requests: 1 },
    ],
  });
});
