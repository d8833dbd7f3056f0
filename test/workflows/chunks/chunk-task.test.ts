import { expect, test } from 'vitest';
import type { ProviderBackoff } from '../../../contract/provider.ts';
import {
  type ChunkTask,
  type OpenChunkTask,
  recordAttempt,
  recordLostCall,
} from '../../../workflows/chunks/chunk-task.ts';
import { type AttemptOutcome, toPermitReport } from '../../../workflows/limiter/client/call-outcome.ts';

const backoff: ProviderBackoff = { strategy: 'exponential', min: 2, max: 30, multiplier: 2, attempts: 4 };
const limited: AttemptOutcome = { kind: 'rate_limited', message: 'Slow down' };
const failed = { kind: 'failed', fault: 'provider' } as const;
const down: AttemptOutcome = { ...failed, error: 'unreachable', message: 'Gone', retryable: true };
const late: AttemptOutcome = { ...failed, error: 'timeout', message: 'Late', retryable: false };
const nowMs = 1_000_000;

/** Records the attempt with this number, counted from 1. */
function recordAttemptOf(outcome: AttemptOutcome, attempt: number) {
  return recordAttempt(
    { kind: 'open', attempts: attempt - 1, lost: 3 },
    { outcome, provider: 'test/model', backoff, nowMs, random: () => 0.5 },
  );
}

test.each<[string, AttemptOutcome, number, number, string]>([
  ['the first rate limit', limited, 1, 2, 'rate_limited'],
  ['the third rate limit', limited, 3, 8, 'rate_limited'],
  ['a rate limit with a longer retry-after', { ...limited, retryAfterSeconds: 50 }, 1, 50, 'rate_limited'],
  ['a rate limit with a shorter retry-after', { ...limited, retryAfterSeconds: 1 }, 2, 4, 'rate_limited'],
  ['a lost connection', down, 2, 4, 'unreachable'],
])('a chunk backs off after %s', (_, outcome, attempt, seconds, error) => {
  expect(recordAttemptOf(outcome, attempt)).toEqual({
    kind: 'open',
    attempts: attempt,
    lost: 3,
    backoff: { untilMs: nowMs + seconds * 1000, error },
  });
});

test.each<[string, AttemptOutcome, number, string, string]>([
  ['the fourth rate limit', limited, 4, 'rate_limited', 'Slow down'],
  ['the fourth lost connection', down, 4, 'unreachable', 'Gone'],
  ['the first timeout', late, 1, 'timeout', 'Late'],
  ['a rejected key', { kind: 'unauthorized', message: 'Bad key', called: true }, 2, 'unauthorized', 'Bad key'],
])('a chunk fails after %s', (_, outcome, attempt, error, message) => {
  expect(recordAttemptOf(outcome, attempt)).toEqual({
    kind: 'failed',
    attempts: attempt,
    provider: 'test/model',
    error,
    message,
  });
});

test.each<[string, AttemptOutcome]>([
  ['an unused permit', { kind: 'unused', message: 'No worker was free', called: false }],
  ['a lost connection', down],
])('an open chunk keeps the keys that forbade it after %s', (_, outcome) => {
  const task: OpenChunkTask = { kind: 'open', attempts: 0, lost: 1, forbidden: ['test/first'] };
  const after = recordAttempt(task, { outcome, provider: 'test/model', backoff, nowMs, random: () => 0.5 });
  expect(after).toMatchObject({ kind: 'open', lost: 1, forbidden: ['test/first'] });
});

test('a chunk whose permits expire unused waits longer each time, uses no attempt and fails after 20 in a row', () => {
  const unused: AttemptOutcome = { kind: 'unused', message: 'No worker was free', called: false };
  const next = (task: OpenChunkTask) =>
    recordAttempt(task, { outcome: unused, provider: 'test/model', backoff, nowMs, random: () => 0.5 });
  let task: ChunkTask = { kind: 'open', attempts: 2, lost: 0 };
  const pauses: number[] = [];
  for (let permit = 1; permit < 20; permit += 1) {
    task = next(task as OpenChunkTask);
    expect(task).toMatchObject({ kind: 'open', attempts: 2, backoff: { error: 'permit_unused' } });
    pauses.push((((task as OpenChunkTask).backoff?.untilMs ?? 0) - nowMs) / 1000);
  }
  expect(pauses.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(next(task as OpenChunkTask)).toEqual({
    kind: 'failed',
    attempts: 2,
    provider: 'test/model',
    error: 'permit_unused',
    message: '20 consecutive permits expired without a call: No worker was free',
  });
  const called = recordAttempt(task as OpenChunkTask, {
    outcome: down,
    provider: 'test/model',
    backoff,
    nowMs,
    random: () => 0.5,
  });
  expect(called).not.toHaveProperty('unused');
});

test('a chunk whose key is already known to be rejected fails without an attempt', () => {
  expect(recordAttemptOf({ kind: 'unauthorized', message: 'Bad key', called: false }, 1)).toMatchObject({
    kind: 'failed',
    attempts: 0,
    error: 'unauthorized',
  });
});

test('a success in the last attempt completes the chunk', () => {
  expect(recordAttemptOf({ kind: 'ok' }, 4)).toEqual({ kind: 'completed', attempts: 4, provider: 'test/model' });
});

test.each([
  [8, 'lost'],
  [9, 'failed'],
])('a chunk that has lost %i calls has %s with the next one, which counts towards the limits', (lost, kind) => {
  const { task, ended } = recordLostCall({ kind: 'open', attempts: 0, lost }, { kind: 'lost', message: 'gone' });
  expect(task).toEqual({ kind: 'open', attempts: 0, lost: lost + 1 });
  expect(ended.kind).toBe(kind);
  expect(toPermitReport('p', ended).outcome).toEqual({ kind: 'broken_off' });
});
