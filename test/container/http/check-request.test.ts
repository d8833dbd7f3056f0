import { expect, test } from 'vitest';
import { packedItems } from '../../../contract/packed-list.ts';
import { checkRequest } from '../../../container/http/check-request.ts';

const check = (body: unknown) =>
  checkRequest('chunk', Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

const chunks = [{ index: 0, uploadUrl: 'https://store.test/0' }];
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

function failureOf(body: unknown): { code: string; message: string; details: { issues: unknown[] } } {
  try {
    check(body);
  } catch (error) {
    return error as ReturnType<typeof failureOf>;
  }
  throw new Error('the request is valid');
}

test('returns the body with its defaults and a fingerprint', () => {
  const sourceUrl = 'https://media.test/a.wav';
  const checked = check({ sourceUrl, chunks });
  expect(checked.body).toMatchObject({ sourceUrl, chunkDuration: 60 });
  expect([...packedItems(checked.body.chunks)]).toEqual(chunks);
  expect(checked.fingerprint).toBe(check({ chunks, sourceUrl }).fingerprint);
});

test('reads a body that begins with a byte order mark', () => {
  expect(check(`\uFEFF${JSON.stringify({ sourceUrl: 'https://media.test/a', chunks })}`).body).toMatchObject({
    sourceUrl: 'https://media.test/a',
  });
});

test('rejects a body that is nested too deeply for its fingerprint', () => {
  const list = `{"uploadUrl":"https://store.test/list","about":{"x":${nested(100_000)}}}`;
  const body = `{"sourceUrl":"https://media.test/a","chunks":${JSON.stringify(chunks)},"list":${list}}`;
  expect(failureOf(body)).toMatchObject({ code: 'invalid_request', message: 'The request is nested too deeply.' });
});

test('rejects a value that is nested a hundred thousand levels deep', () => {
  expect(failureOf(`{"sourceUrl":${nested(100_000)}}`)).toMatchObject({ code: 'invalid_request' });
});

test('repeats no more than the beginning of a long name in its error', () => {
  const { message, details } = failureOf({ [`k${'x'.repeat(100_000)}`]: 1 });
  expect(message.length).toBeLessThan(1000);
  expect(JSON.stringify(details).length).toBeLessThan(2000);
});

test.each([
  ['objects', '{},'],
  ['numbers', '0,'],
  ['lists', '['],
])('refuses a body of a million %s before it is parsed', (_what, value) => {
  expect(failureOf(`{"chunks":[${value.repeat(1_000_000)}0]}`)).toMatchObject({ code: 'request_too_large' });
});

test('does not count what a text contains', () => {
  const about = { text: ',[{\\"'.repeat(200_000) };
  const list = { uploadUrl: 'https://store.test/list', about };
  expect(check({ sourceUrl: 'https://media.test/a', chunks, list }).body.list).toEqual(list);
});
