import { expect, test } from 'vitest';
import { findCaller, parseTokens } from '../../../server/access/tokens.ts';

const anna = { token: 'anna-0123456789abcdef', scopes: ['read'], owner: 'anna' };
const operator = { token: 'op-0123456789abcdef0', scopes: ['read', 'run'] };

test('only the exact token identifies its caller', () => {
  const tokens = parseTokens(JSON.stringify([anna, operator]));
  expect(findCaller(tokens, `Bearer ${anna.token}`)).toEqual({
    id: 'token 1',
    scopes: new Set(['read']),
    owner: 'anna',
  });
  expect(findCaller(tokens, `bearer  ${operator.token}`)?.owner).toBeUndefined();
  const wrong = [undefined, '', 'Bearer', 'Bearer ', anna.token, `Basic ${anna.token}`, `Bearer ${anna.token}x`];
  for (const authorization of [...wrong, `Bearer ${anna.token} ${operator.token}`, 'Bearer undefined']) {
    expect(findCaller(tokens, authorization), String(authorization)).toBeUndefined();
  }
});

test('does not keep the tokens themselves', () => {
  expect(JSON.stringify(parseTokens(JSON.stringify([anna])))).not.toContain(anna.token);
});

test.each([
  ['is not JSON', `[{"token": "${anna.token}"`],
  ['is not valid', '[]'],
  ['is not valid', '{}'],
  ['0.token', JSON.stringify([{ ...anna, token: 'short' }])],
  ['0.token', JSON.stringify([{ ...anna, token: `${anna.token} \n` }])],
  ['0.scopes', JSON.stringify([{ ...anna, scopes: [] }])],
  ['0.scopes.0', JSON.stringify([{ ...anna, scopes: ['admin'] }])],
  ['0.owner', JSON.stringify([{ ...anna, owner: 'a\nb' }])],
  ['Unrecognized key', JSON.stringify([{ ...anna, role: 'x' }])],
  ['contains the same token twice', JSON.stringify([anna, { ...operator, token: anna.token }])],
])('refuses a file with the problem "%s" and quotes no token', (problem, text) => {
  expect(() => parseTokens(text)).toThrow(problem);
  expect(() => parseTokens(text)).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('0123456789') }),
  );
});
