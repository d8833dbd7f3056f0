import { defineSearchAttributeKey as key, TypedSearchAttributes } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { SearchAttributeName } from '../../../contract/search-attributes.ts';
import { newRunModel, type RunModel, withFailure } from '../../../workflows/status/run-model.ts';
import { changedAttributes } from '../../../workflows/status/search-attributes.ts';
import { searchValuesOf } from '../../../workflows/status/search-values.ts';

const usable: SearchAttributeName[] = ['HoldfastState', 'HoldfastOwner', 'HoldfastFormats', 'HoldfastSource'];

/** Attributes with which the server starts a run of an owner. */
const atStart = new TypedSearchAttributes([
  { key: key('HoldfastState', 'KEYWORD'), value: 'queued' },
  { key: key('HoldfastOwner', 'KEYWORD'), value: 'ana' },
]);

const subject = { text: 'a.wav → flac', source: 'a.wav', formats: ['flac', 'flac'] };
const preparing = newRunModel('encode', 60);

test.each<[string, RunModel, Record<string, unknown>]>([
  ['fails before its input is parsed keeps its owner', preparing, { HoldfastState: 'failed' }],
  [
    'fails later has the values of its input',
    { ...preparing, subject },
    { HoldfastState: 'failed', HoldfastOwner: null, HoldfastFormats: ['flac'], HoldfastSource: "'a.wav' a wav" },
  ],
])('a run that %s', (_, model, expected) => {
  const values = searchValuesOf(withFailure(model, 'failed', 'webhook.secret is unknown', 0));
  const changes = values === undefined ? [] : changedAttributes(atStart, values, usable);
  expect(Object.fromEntries(changes.map(({ key: { name }, value }) => [name, value]))).toEqual(expected);
});
