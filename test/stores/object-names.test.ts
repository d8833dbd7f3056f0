import { expect, test } from 'vitest';
import { backendOf } from '../../stores/backends.ts';
import { isSignedPrefix } from '../../stores/object-url.ts';

test.each([
  ['az://holdfast/media/in/talk.wav', true],
  ['az://holdfast/$web/talk 100% #1?.wav', true],
  [`az://holdfast/media/${'x'.repeat(1000)}`, true],
  ['az://holdfast/media', false],
  ['az://holdfast/media/', false],
  ['az://Holdfast/media/a', false],
  ['az://hold.fast/media/a', false],
  ['az://user@holdfast/media/a', false],
  ['az://holdfast/me--dia/a', false],
  // Azure would write another blob.
  ['az://holdfast/media/a/../b', false],
  ['az://holdfast/media/a./b', false],
  ['az://holdfast/media/a\\b', false],
  ['gs://media/in/talk.wav', true],
  ['gs://media.example_1/talk 100% #1?.wav', true],
  ['gs://media/', false],
  ['gs://Media/a', false],
  ['gs://media/a/../b', false],
  ['gs://media/a\nb', false],
])('%j names one object: %s', (url, expected) => {
  expect(backendOf(url)?.isObjectUrl(url)).toBe(expected);
});

test.each([
  ['az://holdfast/media/', true],
  ['az://holdfast/media/in/', true],
  ['az://holdfast/', false],
  ['gs://media/', true],
  ['gs://media/../', false],
])('%s is a prefix: %s', (url, expected) => {
  expect(isSignedPrefix(url)).toBe(expected);
});
