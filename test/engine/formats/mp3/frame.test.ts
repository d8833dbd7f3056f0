import { describe, expect, test } from 'vitest';
import { MalformedFile } from '../../../../engine/formats/malformed-file.ts';
import { readFrame, readFrameHeader } from '../../../../engine/formats/mp3/frame.ts';

describe('frame headers', () => {
  test.each([
    // 128 kbit/s, 44.1 kHz, joint stereo, with and without the padding byte.
    [[0xff, 0xfb, 0x90, 0x44], { isMpeg1: true, isMono: false, bitrate: 128, sampleRate: 44_100, size: 417 }],
    [[0xff, 0xfb, 0x92, 0x44], { size: 418, mainDataAt: 36 }],
    // MPEG-2, 22.05 kHz, 32 kbit/s, mono.
    [[0xff, 0xf3, 0x40, 0xc4], { isMpeg1: false, isMono: true, bitrate: 32, sampleRate: 22_050, mainDataAt: 13 }],
    // MPEG-2.5, 8 kHz, 8 kbit/s, mono.
    [[0xff, 0xe3, 0x18, 0xc4], { isMpeg1: false, bitrate: 8, sampleRate: 8000, size: 72 }],
  ])('the bytes %j are a header', (bytes, facts) => {
    expect(readFrameHeader(Uint8Array.from(bytes))).toMatchObject(facts);
  });

  test.each([
    ['no sync', [0xfe, 0xfb, 0x90, 0x44]],
    ['layer II', [0xff, 0xfd, 0x90, 0x44]],
    ['with a check word', [0xff, 0xfa, 0x90, 0x44]],
    ['free format', [0xff, 0xfb, 0x00, 0x44]],
    ['reserved rate', [0xff, 0xfb, 0x9c, 0x44]],
    ['reserved version', [0xff, 0xeb, 0x90, 0x44]],
    ['cut off', [0xff, 0xfb]],
  ])('a header is rejected: %s', (_, bytes) => {
    expect(() => readFrameHeader(Uint8Array.from(bytes))).toThrow(MalformedFile);
  });
});

test('side information locates the main data and states its bits', () => {
  const bytes = Buffer.alloc(417);
  bytes.set([0xff, 0xfb, 0x90, 0x44]);
  // main_data_begin 511; four part2_3_lengths of 12 bits, at bits 20, 79, 138 and 197 of the side information.
  for (let bit = 0; bit < 9; bit += 1) bytes[4 + (bit >> 3)]! |= 0x80 >> (bit & 7);
  for (const at of [20, 79, 138, 197]) {
    // 0b000001100100: 100
    for (const bit of [at + 5, at + 6, at + 9]) bytes[4 + (bit >> 3)]! |= 0x80 >> (bit & 7);
  }
  expect(readFrame(bytes)).toMatchObject({ mainDataBegin: 511, mainDataBits: 400 });
});
