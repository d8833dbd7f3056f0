import { expect, test } from 'vitest';
import { parseS3Url } from '../../../stores/s3/s3-url.ts';

test.each([
  ['s3://bucket/key.wav', { Bucket: 'bucket', Key: 'key.wav' }],
  ['s3://my.bucket-1/a/b c#d?e%20f.wav', { Bucket: 'my.bucket-1', Key: 'a/b c#d?e%20f.wav' }],
  ['s3://bucket/', undefined],
  ['s3://bucket', undefined],
  ['s3:///key', undefined],
  ['s3://user@bucket/key', undefined],
  ['s3://bucket/a/../b', undefined],
  ['s3://bucket/./b', undefined],
  ['s3://bucket/a..b/.c', { Bucket: 'bucket', Key: 'a..b/.c' }],
  ['https://bucket/key', undefined],
])('parses %s as %j', (url, expected) => {
  expect(parseS3Url(url)).toEqual(expected);
});
