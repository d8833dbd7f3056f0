import { expect, test } from 'vitest';
import { parseS3Url } from '../../../stores/s3/s3-url.ts';

test.each([
  ['s3://bucket/key.wav', { bucket: 'bucket', key: 'key.wav' }],
  ['s3://my.bucket-1/a/b c#d?e%20f.wav', { bucket: 'my.bucket-1', key: 'a/b c#d?e%20f.wav' }],
  ['s3://bucket/', undefined],
  ['s3://bucket', undefined],
  ['s3:///key', undefined],
  ['s3://user@bucket/key', undefined],
  ['https://bucket/key', undefined],
])('%s is read as %j', (url, expected) => {
  expect(parseS3Url(url)).toEqual(expected);
});
