import { expect, test } from 'vitest';
import { formatLimiter } from '../../../cli/limiter/format-limiter.ts';
import type { LimiterDetails, LimiterStats } from '../../../contract/limiter.ts';
import { ProviderLimits } from '../../../contract/provider.ts';

const now = new Date(2026, 10, 21, 13, 52, 30);

/** UTC, as the limiter writes times. */
function inSeconds(seconds: number): string {
  return new Date(now.getTime() + seconds * 1000).toISOString();
}

const settings = ProviderLimits.parse({});

const stats: LimiterStats = {
  requests_last_minute: 31,
  limit_per_minute: 50,
  requests_last_hour: 212,
  limit_per_hour: 1000,
  burst_tokens_remaining: 4.3,
  burst_limit: 10,
  total_requests_tracked: 212,
  permits_in_use: 2,
  max_concurrent: 5,
  waiting: 17,
  throttled: false,
  throttle_until: null,
  throttle_reason: null,
};

const details: LimiterDetails = {
  stats,
  limits: settings,
  settings,
  override: {},
  slots: 15,
  breaker: { state: 'closed', failuresInRow: 1, until: null },
  permits: [
    { permitId: 'p-1', holder: 'processing-talk', requestId: '3.1', expiresAt: inSeconds(112) },
    { permitId: 'p-2', holder: 'processing-news', requestId: '0.2', expiresAt: inSeconds(118) },
  ],
  waiting: [
    { holder: 'processing-talk', requests: 16 },
    { holder: 'processing-news', requests: 1 },
  ],
};

function report(ofStats: Partial<LimiterStats> = {}, ofDetails: Partial<LimiterDetails> = {}): string {
  const shown = { ...details, ...ofDetails, stats: { ...stats, ...ofStats } };
  return formatLimiter({ key: 'openai/whisper-1', environment: 'default' }, shown, now);
}

test('shows a limiter with its counts, limits, holders and waiters', () => {
  expect(report()).toBe(
    [
      'openai/whisper-1 in the environment default',
      '  state              granting permits',
      '  permits            2 of 5 in use, each for at most 120 s',
      '  slots              15 on all workers',
      '  last minute        31 of 50 requests',
      '  last hour          212 of 1000 requests',
      '  burst              4.3 of 10 tokens left',
      '  breaker            1 of 5 failures in a row',
      '  operator override  none',
      '  in use',
      '    processing-talk  request 3.1, until 13:54:22, in 1:52',
      '    processing-news  request 0.2, until 13:54:28, in 1:58',
      '  waiting: 17',
      '    processing-talk  16 requests',
      '    processing-news  1 request',
    ].join('\n'),
  );
});

test('omits empty lists of holders and waiters', () => {
  const lines = report({ permits_in_use: 0, waiting: 0 }, { permits: [], waiting: [] }).split('\n');
  expect(lines).toHaveLength(9);
});

test('shows the first ten lines of a longer list', () => {
  const waiting = Array.from({ length: 12 }, (_, index) => ({ holder: `run-${index}`, requests: 1 }));
  expect(report({}, { waiting })).toMatch(/    run-9  1 request\n    … and 2 more$/);
});

test.each([
  [
    'a throttle',
    { throttled: true, throttle_until: inSeconds(750), throttle_reason: 'Slow down' },
    {},
    'throttled until 14:05:00, in 12:30: Slow down',
  ],
  [
    'a throttle until another day',
    { throttled: true, throttle_until: inSeconds(86_400), throttle_reason: 'operator override' },
    {},
    'throttled until Sun Nov 22 2026 13:52:30, in 24:00:00: operator override',
  ],
  [
    'an open breaker',
    {},
    { breaker: { state: 'open', failuresInRow: 5, until: inSeconds(60) } },
    'breaker open until 13:53:30, in 1:00',
  ],
  [
    'a half-open breaker',
    {},
    { breaker: { state: 'probing', failuresInRow: 5, until: null } },
    'breaker half-open: one call tests whether the provider answers again',
  ],
] as const)('shows %s as the state', (_, ofStats, ofDetails, state) => {
  expect(report(ofStats, ofDetails).split('\n')[1]).toBe(`  state              ${state}`);
});

test('shows an override with the default that it replaces', () => {
  const override = { requestsPerMinute: 30, maxConcurrent: 1 };
  const lines = report({}, { override, limits: { ...settings, ...override } });
  expect(lines).toContain('  operator override  requestsPerMinute 30 (default 50), maxConcurrent 1 (default 5)');
});
