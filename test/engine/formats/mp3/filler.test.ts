import { expect, test } from 'vitest';
import { Filler } from '../../../../engine/formats/mp3/filler.ts';

const bits = (text: string): Buffer =>
  Buffer.from((text.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));

test('the alternating bit continues across a new segment, and letters stay', () => {
  const filler = new Filler();
  const first = bits('0101011');
  filler.continueBits(first, 0, 6);
  expect(first).toEqual(bits('0101011'));
  filler.beginSegment();
  // "LAME3.100", followed by the alternating bit, which is inverted in the later encoder.
  const second = Buffer.concat([Buffer.from('LAME3.100'), bits('10101010')]);
  filler.continueBits(second, 0, second.length * 8);
  expect(second).toEqual(Buffer.concat([Buffer.from('LAME3.100'), bits('01010101')]));
});

test('a fill that ends a frame is distinguished from a following fill of whole bytes', () => {
  const filler = new Filler();
  const bytes = Buffer.concat([bits('01010'), Buffer.from('LAME')]);
  // Three bits of the first fill at the end of a byte, followed by four letters.
  bytes[0] = 0b0000_0101;
  filler.continueBits(bytes, 5, bytes.length * 8);
  expect(bytes).toEqual(Buffer.concat([bits('00000101'), Buffer.from('LAME')]));
});

test('bits that are not filler are rejected', () => {
  expect(() => new Filler().continueBits(bits('01110101'), 0, 8)).toThrow('ancillary data');
});

test.each([0, 1])('a long fill that starts within a byte continues in the phase of the first segment (%i)', (phase) => {
  const alternating = (count: number, first: number): string =>
    Array.from({ length: count }, (_, index) => String((index + first) % 2)).join('');
  const filler = new Filler();
  filler.continueBits(bits(alternating(8 - phase, 0)), 0, 8 - phase);
  filler.beginSegment();
  const long = bits(`111${alternating(797, 1)}`);
  filler.continueBits(long, 3, long.length * 8);
  expect(long).toEqual(bits(`111${alternating(797, phase)}`));
});

test('a damaged byte in a long fill is rejected', () => {
  const bytes = Buffer.alloc(100, 0x55);
  bytes[60] = 0x15;
  expect(() => new Filler().continueBits(bytes, 0, 800)).toThrow('ancillary data');
});
