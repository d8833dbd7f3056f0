import { expect, test } from 'vitest';
import { printable } from '../../../cli/text/printable.ts';

test.each([
  ['talk.wav', 'talk.wav'],
  ['ümläut-שלום 💬.wav', 'ümläut-שלום 💬.wav'],
  ['\x1b[31mred\n.wav', '\\x1b[31mred\\x0a.wav'],
  ['\u009b31m\t', '\\x9b31m\\x09'],
])('shows %j as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
