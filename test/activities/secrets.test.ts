import { expect, test } from 'vitest';
import { type BoundSecret, findSecret } from '../../activities/secrets.ts';
import { memoOfRequester, type Requester, requesterMemo, requesterOf } from '../../contract/requester.ts';

const origin = 'https://partner.test';
const anna: Requester = { owner: 'anna', isOfServer: true };
const operator: Requester = { isOfServer: true };
const labelled: Requester = { owner: 'anna' };

const unbound: BoundSecret = { value: 's3cr3t' };
const ofAnna: BoundSecret = { ...unbound, origins: new Set([origin]), owners: new Set(['anna']) };
const ofBert: BoundSecret = { ...ofAnna, owners: new Set(['bert']) };
const { owners: _, ...anywhereOfNobody } = ofAnna;
const { origins: __, ...ofAnnaAnywhere } = ofAnna;

const there = `${origin}/in.wav`;

test.each<[string, BoundSecret, Requester | undefined, string | undefined, boolean]>([
  ['a Temporal client without an owner', unbound, undefined, 'https://anywhere.test/', true],
  ['a Temporal client with an owner', unbound, labelled, there, false],
  ['a token of an owner', unbound, anna, there, false],
  ['a token without an owner', unbound, operator, there, false],
  ['a Temporal client without an owner', ofBert, undefined, there, true],
  ['a Temporal client without an owner', ofBert, undefined, 'https://anywhere.test/', false],
  ['a Temporal client with an owner', ofAnna, labelled, there, true],
  ['a token of an owner', ofAnna, anna, there, true],
  ['a token of another owner', ofBert, anna, there, false],
  ['a token of an owner', anywhereOfNobody, anna, there, false],
  ['a token of an owner', ofAnnaAnywhere, anna, there, false],
  ['a token without an owner', ofBert, operator, there, true],
  ['a token without an owner', ofAnnaAnywhere, operator, there, false],
  ['a token of an owner for a key that is sent nowhere', ofAnnaAnywhere, anna, undefined, true],
  ['a token of another owner for a key that is sent nowhere', ofBert, anna, undefined, false],
  ['a token of an owner for a key that is sent nowhere', unbound, anna, undefined, false],
])('%s with %o and the requester %o at %s: %s', (_who, secret, requester, url, isAllowed) => {
  const use = { requester, ...(url !== undefined && { url }) };
  expect(findSecret(new Map([['A', secret]]), 'A', use)).toBe(isAllowed ? 's3cr3t' : undefined);
  expect(findSecret(new Map([['A', secret]]), 'B', use)).toBeUndefined();
});

test.each([
  'http://partner.test/',
  'https://partner.test:444/',
  'https://partner.test./',
  'https://partner.test.evil.test/',
  'https://partner.test@evil.test/',
  'https://evil.test/https://partner.test/',
  'https://evil.test#https://partner.test/',
  'https://xpartner.test/',
  'https:\\\\evil.test\\partner.test',
  'file:///partner.test',
  's3://partner.test/a',
  'partner.test',
  '',
])('sends a secret of https://partner.test not to %s', (url) => {
  expect(findSecret(new Map([['A', ofAnna]]), 'A', { requester: anna, url })).toBeUndefined();
});

test.each(['https://partner.test', 'HTTPS://PARTNER.TEST:443/a?b#c', 'https:partner.test/a', ' https://partner.test/'])(
  'sends a secret of https://partner.test to %s',
  (url) => {
    expect(findSecret(new Map([['A', ofAnna]]), 'A', { requester: anna, url })).toBe('s3cr3t');
  },
);

test('takes the requester from the memo, which a body cannot set, before the input', () => {
  expect(requesterOf(requesterMemo('anna'), 'bert')).toEqual(anna);
  expect(requesterOf(requesterMemo(undefined), undefined)).toEqual(operator);
  for (const requester of [anna, operator, labelled, undefined]) {
    expect(requesterOf(memoOfRequester(requester), undefined)).toEqual(requester);
  }
  expect(requesterOf({}, 'anna')).toEqual(labelled);
  expect(requesterOf(undefined, undefined)).toBeUndefined();
  expect(requesterOf({ owner: 1, startedBy: true }, undefined)).toBeUndefined();
});
