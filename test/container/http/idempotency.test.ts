import { expect, test } from 'vitest';
import { fingerprint, parseIdempotencyKey } from '../../../container/http/idempotency.ts';

test.each(['a', 'a b', 'x'.repeat(255), '~!"#$%&\'()'])('accepts the key %s', (key) => {
  expect(parseIdempotencyKey(key)).toBe(key);
});

test.each(['', 'x'.repeat(256), 'a\tb', 'a\u007f', 'é', 'a\u0000'])('rejects the key %j', (key) => {
  expect(() => parseIdempotencyKey(key)).toThrow('Idempotency-Key');
});

const body = (sourceUrl: string, extra: object = {}) => ({
  sourceUrl,
  outputs: [{ uploadUrl: sourceUrl }],
  ...extra,
});

test.each([
  ['https://s/a?X-Amz-Signature=1&X-Amz-Date=2', 'https://s/a?X-Amz-Signature=3&X-Amz-Expires=9', true],
  ['https://s/a?x-amz-signature=1', 'https://s/a', true],
  ['https://s/a?X-Goog-Signature=1', 'https://s/a?X-Goog-Signature=2', true],
  ['https://s/a?versionId=1', 'https://s/a?versionId=2', false],
  ['https://s/a?X-Amz-Signature=1', 'https://s/b?X-Amz-Signature=1', false],
  ['https://s/a', 'http://s/a', false],
])('compares %s and %s without signatures: %s', (one, other, same) => {
  expect(fingerprint('encode', body(one)) === fingerprint('encode', body(other))).toBe(same);
});

test('distinguishes requests by kind and fields', () => {
  expect(fingerprint('encode', body('https://s/a'))).not.toBe(fingerprint('chunk', body('https://s/a')));
  expect(fingerprint('encode', body('https://s/a'))).not.toBe(fingerprint('encode', body('https://s/a', { x: 1 })));
});

test('ignores the headers of source, outputs and links, and nothing else of that name', () => {
  const withHeaders = (value: string) => ({
    sourceUrl: 'https://s/a',
    headers: { authorization: value },
    outputs: [
      {
        uploadUrl: 'https://s/b',
        headers: { authorization: value },
        cover: { url: 'https://s/c', headers: { a: value } },
      },
    ],
  });
  const bare = { sourceUrl: 'https://s/a', outputs: [{ uploadUrl: 'https://s/b', cover: { url: 'https://s/c' } }] };
  expect(fingerprint('encode', withHeaders('one'))).toBe(fingerprint('encode', withHeaders('two')));
  expect(fingerprint('encode', withHeaders('one'))).toBe(fingerprint('encode', bare));
  const tagged = (headers: string) => ({ ...bare, metadata: { headers } });
  expect(fingerprint('encode', tagged('one'))).not.toBe(fingerprint('encode', tagged('two')));
});
