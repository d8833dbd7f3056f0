import { expect, test } from 'vitest';
import { SpreadInput } from '../../contract/workflow/spread.ts';

test.each<[string, unknown]>([
  ['auto', 'auto'],
  ['containers and a length', { containers: 2, segmentSeconds: 20 }],
  ['the most containers and the longest segments', { containers: 64, segmentSeconds: 600 }],
])('accepts %s', (_, input) => {
  expect(SpreadInput.parse(input)).toEqual(input);
});

test.each<[string, unknown]>([
  ['one container', { containers: 1, segmentSeconds: 60 }],
  ['65 containers', { containers: 65, segmentSeconds: 60 }],
  ['a segment of 10 s', { containers: 2, segmentSeconds: 10 }],
  ['no length', { containers: 2 }],
  ['an unknown field', { containers: 2, segmentSeconds: 60, copies: 2 }],
  ['an unknown word', 'all'],
])('refuses %s', (_, input) => {
  expect(SpreadInput.safeParse(input).success).toBe(false);
});
