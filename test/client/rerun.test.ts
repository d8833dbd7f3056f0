import { expect, test } from 'vitest';
import { sourceNameOf } from '../../client/rerun.ts';

test.each([
  ['s3://bucket/talks/b%20c.wav', 'b c'],
  ['https://example.org/talk.tar.gz?sig=1', 'talk'],
  ['https://example.org/', ''],
  // A literal %.
  ['https://example.org/100%.wav', '100%'],
])('the source %s has the name %j', (url, name) => {
  expect(sourceNameOf(url)).toBe(name);
});
