import { expect, test } from 'vitest';
import { compressionOf } from '../../network/compression.ts';

test.each<[string | string[] | undefined]>([
  ...([[undefined], [''], ['identity'], ['Identity'], ['aws-chunked']] as [string | undefined][]),
  ...([['none'], ['binary'], ['utf-8'], ['gzipped']] as [string][]),
  [['aws-chunked', 'identity']],
])('reads bytes with the content-encoding %j as they are', (encoding) => {
  expect(compressionOf(encoding)).toBeUndefined();
});

test.each([
  ['gzip', 'gzip'],
  ['BR', 'br'],
  [' x-compress ', 'x-compress'],
  ['aws-chunked, gzip', 'gzip'],
  ['zstd,aws-chunked', 'zstd'],
  [['aws-chunked', 'deflate'], 'deflate'],
])('reads the content-encoding %j as the compression %s', (encoding, expected) => {
  expect(compressionOf(encoding)).toBe(expected);
});
