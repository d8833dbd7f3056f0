import { expect, test } from 'vitest';
import { formatSigned, nameOfSource } from '../../../page/words/format.ts';

test.each([
  ['https://example.com/a/Talk%20%26%20tea.wav?signature=x#t=1', 'Talk & tea.wav'],
  ['s3://media/talk.wav', 'talk.wav'],
  ['upload:AAAAAAAAAAAAAAAAAAAAAA-Talk & 100%.wav', 'Talk & 100%.wav'],
  ['s3://media/in/shared/AAAAAAAAAAAAAAAAAAAAAA-Talk & 100%.wav', 'Talk & 100%.wav'],
  ['s3://media/owner-BBBBBBBBBBBBBBBBBBBBBB/AAAAAAAAAAAAAAAAAAAAAA-Talk.wav', 'Talk.wav'],
  ['az://account/media/shared/AAAAAAAAAAAAAAAAAAAAAA-Talk.wav', 'Talk.wav'],
  ['gs://media/shared/AAAAAAAAAAAAAAAAAAAAAA-Talk.wav', 'Talk.wav'],
  ['s3://media/talks/AAAAAAAAAAAAAAAAAAAAAA-Talk.wav', 'AAAAAAAAAAAAAAAAAAAAAA-Talk.wav'],
  ['https://example.com/', 'https://example.com/'],
  ['Rede #1: 100%20?.wav', 'Rede #1: 100%20?.wav'],
  // A URL shortened within an escape still decodes its other escapes.
  ['https://example.com/%3Cb%3E%F0%9F%8E%A7%…%20long%20.wav', '<b>🎧%… long .wav'],
  ['https://example.com/%C3%A9%20%F0%9F%…A7%20long.wav', '%C3%A9%20%F0%9F%…A7 long.wav'],
  ['https://example.com/100%.wav', '100%.wav'],
])('shows %j as %j', (source, name) => {
  expect(nameOfSource(source)).toBe(name);
});

test.each([
  [-16.04, '−16.0'],
  [-0.06, '−0.1'],
  [-0.04, '0.0'],
  [0, '0.0'],
  [1.26, '1.3'],
])('writes %d with a minus sign only if it is below zero', (value, words) => {
  expect(formatSigned(value)).toBe(words);
});
