import { expect, test } from 'vitest';
import { formatDuration } from '../../../client/text/format-duration.ts';

test.each([
  [0, '0:00'],
  [59.6, '1:00'],
  [750, '12:30'],
  [3723, '1:02:03'],
  [-3, '0:00'],
])('formats %s s as %s', (seconds, shown) => {
  expect(formatDuration(seconds)).toBe(shown);
});
