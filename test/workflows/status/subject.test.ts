import { expect, test } from 'vitest';
import { shownUrl } from '../../../workflows/status/subject.ts';

test.each([
  ['https://s3.test/a/b.wav?X-Amz-Signature=secret&x=1', 'https://s3.test/a/b.wav'],
  ['https://user:password@media.test/a.wav#t=1', 'https://media.test/a.wav'],
  ['s3://bucket/prefix/', 's3://bucket/prefix/'],
  ['file:///media/a.wav', 'file:///media/a.wav'],
])('%s is shown without its secrets', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
