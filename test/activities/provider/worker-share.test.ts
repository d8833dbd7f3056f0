import { expect, test } from 'vitest';
import { WorkerShare } from '../../../activities/provider/worker-share.ts';
import { ProviderLimits } from '../../../contract/provider.ts';

const startMs = Date.parse('2026-01-02T03:00:00Z');
const wide = { maxConcurrent: 1_000, requestsPerMinute: 60_000, requestsPerHour: 1_000_000, burstLimit: 1_000 };

function shareOf(limits: Partial<ProviderLimits>): WorkerShare {
  return new WorkerShare(ProviderLimits.parse({ ...wide, ...limits }));
}

/** Makes calls one after the other as soon as allowed; returns the second in which each starts. */
function startSeconds(share: WorkerShare, workers: number, seconds: number): number[] {
  const starts: number[] = [];
  for (let nowMs = startMs; nowMs < startMs + seconds * 1000;) {
    const waitMs = share.tryStart(workers, nowMs);
    nowMs += waitMs;
    if (waitMs > 0) continue;
    starts.push((nowMs - startMs) / 1000);
    share.end();
  }
  return starts;
}

test.each([
  [
    'one of one, of 3 a minute in bursts of 2',
    { requestsPerMinute: 3, burstLimit: 2 },
    1,
    [0, 0, 20, 60, 60, 80, 120, 120],
  ],
  ['one of three, of 6 a minute', { requestsPerMinute: 6, burstLimit: 6 }, 3, [0, 0, 60, 60, 120, 120]],
  [
    'one of four, of 24 a minute in bursts of 4',
    { requestsPerMinute: 24, burstLimit: 4 },
    4,
    [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120],
  ],
  ['one of six, of 3 a minute', { requestsPerMinute: 3, burstLimit: 1 }, 6, [0, 120]],
  ['one of two, of 5 an hour', { requestsPerHour: 5 }, 2, [0, 0]],
])('limits the share of a worker that is %s', (_, limits, workers, expected) => {
  expect(startSeconds(shareOf(limits), workers, 121)).toEqual(expected);
});

test('the share of a worker includes calls under permits', () => {
  const share = shareOf({ requestsPerMinute: 3, burstLimit: 3 });
  for (let call = 0; call < 3; call += 1) share.start(startMs);
  expect(share.tryStart(1, startMs + 1_000)).toBe(59_000);
});

test('a worker may make its part of the concurrent calls, at least one', () => {
  const share = shareOf({ maxConcurrent: 5 });
  expect(share.tryStart(2, startMs)).toBe(0);
  expect(share.tryStart(2, startMs)).toBe(0);
  expect(share.tryStart(2, startMs)).toBeGreaterThan(0);
  share.end();
  expect(share.tryStart(2, startMs)).toBe(0);
  expect(shareOf({ maxConcurrent: 2 }).tryStart(9, startMs)).toBe(0);
});

test('keeps the share if calls start in another order than scheduled', () => {
  const share = shareOf({ requestsPerMinute: 1, burstLimit: 1 });
  share.start(startMs + 10_000);
  expect(share.tryStart(1, startMs)).toBe(60_000);
});
