import { expect, test } from 'vitest';
import {
  isRateLimitError,
  type ProviderError,
  throttleSeconds,
} from '../../../../workflows/limiter/policy/rate-limit-error.ts';

test.each<[ProviderError, boolean]>([
  [{ status: 429, message: '' }, true],
  [{ status: 503, message: 'Too Many Requests' }, true],
  [{ status: 400, message: 'Error: too many requests, slow down' }, true],
  [{ status: 400, type: 'RateLimitError', message: '' }, true],
  [{ type: 'openai.RateLimitError', message: '' }, true],
  [{ message: 'Tokens per day limit exceeded' }, true],
  [{ status: 500, message: 'requests per second limit exceeded' }, true],
  [{ status: 400, message: 'model x: Requests per minute limit exceeded.' }, true],
  [{ status: 503, message: 'Overloaded' }, false],
  [{ status: 400, type: 'NotARateLimitError', message: '' }, false],
  [{ status: 400, type: 'RateLimitErrorHandler', message: '' }, false],
  [{ status: 403, message: 'requests per hour limit exceeded' }, false],
  [{ message: '429' }, false],
])('recognises a rate limit in %j: %s', (error, expected) => {
  expect(isRateLimitError(error)).toBe(expected);
});

const byDefault = { day: 86_400, rps: 60, other: 900 };

test.each<[string, number | undefined, number]>([
  ['Tokens per day limit exceeded', undefined, 86_400],
  ['requests per second limit exceeded', undefined, 60],
  ['Requests per minute limit exceeded, try again', undefined, 60],
  ['requests per hour limit exceeded', undefined, 900],
  ['Too many requests', undefined, 900],
  ['', undefined, 900],
  ['Tokens per day limit exceeded; requests per minute limit exceeded', undefined, 86_400],
  ['Requests per minute limit exceeded', 20, 60],
  ['Requests per minute limit exceeded', 90, 90],
  ['Requests per minute limit exceeded', Number.NaN, 60],
  ['Requests per minute limit exceeded', Infinity, 60],
  ['Requests per minute limit exceeded', 1e12, 8 * 86_400],
])('the message %j with a retry-after of %s s suspends the key for %i s', (message, retryAfterSeconds, seconds) => {
  expect(throttleSeconds(message, retryAfterSeconds, byDefault)).toBe(seconds);
});

test.each([
  ['tokens per day limit exceeded', 7],
  ['requests per second limit exceeded', 5],
  ['slow down', 6],
])('the message %j suspends the key for the %i s in the settings', (message, seconds) => {
  expect(throttleSeconds(message, undefined, { day: 7, rps: 5, other: 6 })).toBe(seconds);
});
