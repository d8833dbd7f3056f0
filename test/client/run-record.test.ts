import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { readRunRecord } from '../../client/run-record.ts';

function recordOf(attributes: Record<string, unknown>) {
  const fields = Object.entries(attributes).map(([name, value]) => [name, defaultPayloadConverter.toPayload(value)]);
  return readRunRecord({ searchAttributes: { indexedFields: Object.fromEntries(fields) } });
}

const read = {
  owner: 'anna',
  source: 'https://media.test/talk.wav',
  state: 'waiting',
  formats: ['mp3_64'],
  waitUntil: new Date('2026-01-02T03:04:05Z'),
};
const values = {
  HoldfastOwner: 'anna',
  HoldfastSource: 'https://media.test/talk.wav',
  HoldfastState: 'waiting',
  HoldfastFormats: 'mp3_64',
  HoldfastWaitUntil: '2026-01-02T03:04:05Z',
};
const lists = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

test.each([
  ['single values', values],
  ['lists of one value', lists],
])('reads search attributes from %s', (_, attributes) => {
  expect(recordOf(attributes)).toMatchObject(read);
});

test('missing search attributes yield no fields', () => {
  const record = recordOf({ HoldfastOwner: null, HoldfastFormats: [] });
  expect(record).not.toHaveProperty('owner');
  expect(record).toMatchObject({ formats: [] });
});
