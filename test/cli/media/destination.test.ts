import { expect, test } from 'vitest';
import { parseDestination } from '../../../cli/media/destination.ts';

test.each([
  [undefined, { kind: 'folder', path: '/home/me' }],
  ['out', { kind: 'folder', path: '/home/me/out' }],
  ['file:///tmp/a%20b', { kind: 'folder', path: '/tmp/a b' }],
  ['s3://bucket', { kind: 'store', prefix: 's3://bucket/' }],
])('outputs of --out %s go to its folder', (out, destination) => {
  expect(parseDestination(out, '/home/me')).toEqual(destination);
});

test.each([
  ['', /empty text/],
  ['s3://', /names no bucket/],
  ['s3:///', /names no bucket/],
  ['file://host/out', /names nothing on this machine/],
  ['https://example.org/out', /takes a folder/],
])('--out %j is refused with a sentence', (out, sentence) => {
  expect(() => parseDestination(out, '/home/me')).toThrow(sentence);
});
