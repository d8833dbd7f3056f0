import { expect, test } from 'vitest';
import { crcAfterChange, frameCrc } from '../../../../../../engine/sound/segmented/join/flac/frame-crc.ts';
import {
  readFlacFrameHeader,
  renumberFlacHeader,
} from '../../../../../../engine/sound/segmented/join/flac/frame-header.ts';

/** A header of a stereo frame of 4608 samples at 44.1 kHz, numbered 0 (RFC 9639, 9.1). */
const header = renumberFlacHeader(Buffer.of(0xff, 0xf8, 0x59, 0x18, 0, 0), 5, 0);

test.each([
  [0, '00'],
  [0x7f, '7f'],
  [0x80, 'c280'],
  [0x7ff, 'dfbf'],
  [0x800, 'e0a080'],
  [0xffff, 'efbfbf'],
  [0x1_0000, 'f0908080'],
  [0x1f_ffff, 'f7bfbfbf'],
  [0x20_0000, 'f888808080'],
  [0x7fff_ffff, 'fdbfbfbfbfbf'],
])('frame %i is numbered %s, and read again', (number, coded) => {
  const renumbered = renumberFlacHeader(header, 5, number);
  expect(renumbered.subarray(4, -1).toString('hex')).toBe(coded);
  const read = readFlacFrameHeader(Buffer.concat([renumbered, Buffer.alloc(9)]));
  expect(read).toEqual({ number, bytes: renumbered.length, afterNumber: renumbered.length - 1 });
});

test('a header whose CRC or number is wrong is none', () => {
  const wrong = Buffer.from(header);
  wrong[5] = (wrong[5] ?? 0) ^ 1;
  expect(readFlacFrameHeader(wrong)).toBeUndefined();
  expect(readFlacFrameHeader(Buffer.of(0xff, 0xf8, 0x59, 0x18, 0x80, 0, 0))).toBeUndefined();
  expect(readFlacFrameHeader(Buffer.of(0xff, 0xf8, 0x59, 0x18, 0xc2, 0, 0))).toBeUndefined();
  expect(readFlacFrameHeader(header.subarray(0, 5))).toBeUndefined();
});

test.each([0, 1, 7, 254, 10_007])(
  'the CRC of a frame with %i bytes behind a changed header is that of all its bytes',
  (length) => {
    const body = Buffer.from(Array.from({ length }, (_, index) => (index * 37) & 255));
    const renumbered = renumberFlacHeader(header, 5, 123_456);
    const before = frameCrc(Buffer.concat([header, body]));
    expect(crcAfterChange(before, header, renumbered, length)).toBe(frameCrc(Buffer.concat([renumbered, body])));
  },
);
