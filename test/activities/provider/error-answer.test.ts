import { expect, test } from 'vitest';
import { readErrorAnswer, goDurationSeconds } from '../../../activities/provider/error-answer.ts';

const now = Date.parse('2026-01-02T03:04:05Z');

test.each([
  [{}, undefined],
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30],
  [{ 'retry-after-ms': '1500' }, 1.5],
  [{ 'x-ratelimit-reset-requests': '6m0s' }, 360],
  [{ 'x-ratelimit-reset-requests': '20s', 'x-ratelimit-remaining-requests': '0' }, 20],
  [{ 'x-ratelimit-reset-requests': '20s', 'x-ratelimit-remaining-requests': '3' }, undefined],
  [{ 'retry-after': '7', 'x-ratelimit-reset-tokens': '12s' }, 12],
  [{ 'x-ratelimit-reset-requests': '20ms' }, 0.02],
  [{ 'x-ratelimit-reset': '30' }, 30],
  [{ 'x-ratelimit-reset': '30', 'x-ratelimit-remaining': '1' }, undefined],
  [{ 'x-ratelimit-reset': String(now / 1000 + 90) }, 90],
  [{ 'x-ratelimit-reset': String(now / 1000 - 90) }, undefined],
  [{ 'x-ratelimit-reset': String(now / 1000 - 90), date: 'Fri, 02 Jan 2026 03:02:05 GMT' }, 30],
  [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '45' }, 45],
  [{ 'retry-after': 'soon', 'x-ratelimit-reset-tokens': 'later' }, undefined],
])('the headers %j ask for a wait of %j s', (headers, seconds) => {
  expect(readErrorAnswer(429, headers, '', now).retryAfterSeconds).toBe(seconds);
});

test.each([
  ['1s', 1],
  ['120ms', 0.12],
  ['1m30.5s', 90.5],
  ['1h0m1s', 3601],
  ['17', 17],
  ['0s', undefined],
  ['', undefined],
  ['-3s', undefined],
  ['3 s', undefined],
])('the duration %j is %j s', (text, seconds) => {
  expect(goDurationSeconds(text)).toBe(seconds);
});

test.each([
  [
    '{"error":{"message":"No.","type":"invalid_request_error"}}',
    { message: 'No.', errorType: 'invalid_request_error' },
  ],
  ['{"error":{"message":"No.","type":null,"code":"bad"}}', { message: 'No.', errorType: 'bad' }],
  ['{"error":"No."}', { message: 'No.' }],
  ['{"detail":"No."}', { message: 'No.' }],
  ['{"message":"No.","name":"RateLimitError"}', { message: 'No.', errorType: 'RateLimitError' }],
  ['<html><h1>502 Bad Gateway</h1></html>', { message: '502 Bad Gateway' }],
  ['', { message: 'The provider answered 502' }],
  ['{"errors":["Too many requests"]}', { message: '{"errors":["Too many requests"]}' }],
  ['{"detail":[{"msg":"field required"}]}', { message: '{"detail":[{"msg":"field required"}]}' }],
  ['[]', { message: 'The provider answered 502' }],
])('reads the body %s as %j', (body, expected) => {
  expect(readErrorAnswer(502, {}, body, now)).toEqual(expected);
});
