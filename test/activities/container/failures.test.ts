import { expect, test } from 'vitest';
import { ConnectionLost, ContainerAnswer, JobLost } from '../../../activities/container/errors.ts';
import { answerOfJob, attemptFailure } from '../../../activities/container/failures.ts';
import type { FailedAttempt } from '../../../contract/activity.ts';
import { statusByErrorCode, type ErrorCode } from '../../../contract/error-codes.ts';

function typeOf(error: unknown): string | null | undefined {
  return attemptFailure(error, { ranMs: 5, state: {} }).type;
}

const retryable: Partial<Record<ErrorCode, string>> = {
  busy: 'RateLimited',
  source_unavailable: 'ConnectionError',
  upload_failed: 'ConnectionError',
  timeout: 'ConnectionError',
  stalled: 'ConnectionError',
  upload_urls_missing: 'ConnectionError',
  draining: 'ConnectionError',
  disk_full: 'ConnectionError',
};

test.each(Object.entries(statusByErrorCode))(
  '%s has the same failure type as an answer and as the end of a job',
  (code, status) => {
    const pascal = code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    const expected = retryable[code as ErrorCode] ?? pascal;
    expect(typeOf(new ContainerAnswer({ status, code, message: 'x' }))).toBe(expected);
    expect(typeOf(answerOfJob('failed', { code, error: 'x' }))).toBe(expected);
  },
);

test.each([
  [418, 'short_and_stout', 'Http418'],
  [422, 'constructor', 'Http422'],
  [429, 'something_else', 'RateLimited'],
  [503, 'ffmpeg_failed', 'ConnectionError'],
])('an answer with status %i and code %s fails as %s', (status, code, expected) => {
  expect(typeOf(new ContainerAnswer({ status, code, message: 'x' }))).toBe(expected);
});

test.each([
  ['ECONNREFUSED', 'Container disconnected', false],
  ['ECONNRESET', 'Container disconnected', true],
  ['UND_ERR_SOCKET', 'Container disconnected', true],
  ['ENOTFOUND', 'Container name not found in DNS', false],
  ['UND_ERR_CONNECT_TIMEOUT', 'Connection to the container timed out', false],
  ['UND_ERR_HEADERS_TIMEOUT', 'Container did not answer in time', true],
])('%s is a connection error that records whether the request may have arrived', (errno, message, mayHaveArrived) => {
  const lost = new ConnectionLost(Object.assign(new Error('socket'), { code: errno }), 'http://c');
  const failure = attemptFailure(lost, { ranMs: 5, state: { asked: { containerUrl: 'http://c' } } });
  expect(failure).toMatchObject({ type: 'ConnectionError', message, nonRetryable: true, category: 'BENIGN' });
  expect(failure.details).toEqual([
    { ranMs: 5, state: { asked: { containerUrl: 'http://c' } }, errno, containerUrl: 'http://c' },
  ]);
  expect(lost.mayHaveArrived).toBe(mayHaveArrived);
});

test('keeps Retry-After only of a 429 and a 503', () => {
  const readWait = (status: number) => {
    const failure = attemptFailure(new ContainerAnswer({ status, message: 'x', retryAfterSeconds: 7 }), {
      ranMs: 5,
      state: {},
    });
    return (failure.details?.[0] as FailedAttempt | undefined)?.retryAfterSeconds;
  };
  expect([429, 502, 503, 504, 422].map(readWait)).toEqual([7, undefined, 7, undefined, undefined]);
});

test('a lost job is a connection error, and a bug is fatal', () => {
  expect(attemptFailure(new JobLost(), { ranMs: 5, state: {} })).toMatchObject({
    type: 'ConnectionError',
    message: 'Job was lost by a restarted container',
  });
  const bug = attemptFailure(new TypeError('x is undefined'), { ranMs: 5, state: {} });
  expect(bug).toMatchObject({ type: 'Internal', message: 'TypeError: x is undefined', nonRetryable: true });
});
