import { expect, test } from 'vitest';
import { turnOf } from '../../../engine/ffmpeg/turn.ts';

const matrix = (first: string, second: string): string =>
  `\n00000000: ${first}           0\n00000001: ${second}           0\n00000002:            0           0  1073741824\n`;
const [one, none, minus] = ['       65536', '           0', '      -65536'];

test.each([
  ['a half turn', -180, minus + none, none + minus, 180],
  ['a mirror from left to right', -180, minus + none, none + one, 0],
  ['a mirror from top to bottom', 0, one + none, none + minus, 180],
  ['a quarter to the right', -90, none + one, minus + none, 90],
  ['a quarter to the left', 90, none + minus, one + none, 270],
  ['an exchange of lines and columns', -90, none + one, one + none, 270],
  ['an exchange of both, from the other corner', 90, none + minus, minus + none, 90],
] as const)('knows where the lines are after %s', (_, rotation, first, second, turn) => {
  expect(turnOf(rotation, matrix(first, second))).toBe(turn);
});

test.each([
  [0, 0],
  [-89, 90],
  [90, 270],
  [179, 180],
  [45, 0],
])('knows where the lines are after a rotation of %i degrees alone', (rotation, turn) => {
  expect(turnOf(rotation)).toBe(turn);
});
