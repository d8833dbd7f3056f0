import { expect, test } from 'vitest';
import { readWindow } from '../../../../engine/formats/aac/frame.ts';

const bits = (text: string): Buffer => {
  const plain = text.replaceAll(' ', '');
  return Buffer.from((plain.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
};
test.each([
  // id, tag, global_gain, reserved bit, window_sequence, window_shape
  ['one channel', '000 0000 10101010 0 00 1 0000', { sequence: 0, shape: 1 }],
  // id, tag, common_window, reserved bit, window_sequence, window_shape
  ['two channels', '001 0000 1 0 10 0 0000', { sequence: 2, shape: 0 }],
  ['two channels with windows of their own', '001 0000 0 10101010 0 00 1', undefined],
  [
    'one channel after a fill element of two bytes',
    '110 0010 1111000011110000 000 0000 10101010 0 01 1',
    { sequence: 1, shape: 1 },
  ],
  ['another element', '100 0000 0 0 00 1', undefined],
])('the window of %s is parsed', (_, text, window) => {
  expect(readWindow(bits(text))).toEqual(window);
});
