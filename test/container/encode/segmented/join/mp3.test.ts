import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Filler } from '../../../../../container/formats/mp3/filler.ts';
import { readFrame, readFrameHeader } from '../../../../../container/formats/mp3/frame.ts';
import { crc16 } from '../../../../../container/formats/mp3/crc16.ts';
import { joinMp3 } from '../../../../../container/encode/segmented/join/mp3.ts';
import { music, speech } from '../inputs.ts';
import { inFolder, prepare, singleRun } from '../support.ts';

describe('frame headers', () => {
  test.each([
    // 128 kbit/s, 44.1 kHz, joint stereo; with and without the padding byte.
    [[0xff, 0xfb, 0x90, 0x44], { isMpeg1: true, isMono: false, bitrate: 128, sampleRate: 44_100, size: 417 }],
    [[0xff, 0xfb, 0x92, 0x44], { size: 418, mainDataAt: 36 }],
    // MPEG-2, 22.05 kHz, 32 kbit/s, mono.
    [[0xff, 0xf3, 0x40, 0xc4], { isMpeg1: false, isMono: true, bitrate: 32, sampleRate: 22_050, mainDataAt: 13 }],
    // MPEG-2.5, 8 kHz, 8 kbit/s, mono.
    [[0xff, 0xe3, 0x18, 0xc4], { isMpeg1: false, bitrate: 8, sampleRate: 8000, size: 72 }],
  ])('%j', (bytes, facts) => {
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
  ])('refuses %s', (_, bytes) => {
    expect(() => readFrameHeader(Uint8Array.from(bytes))).toThrow();
  });
});

test('side information: where main data begins and how many bits it has', () => {
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

test('CRC-16 of the well-known text', () => {
  expect(crc16(0, Buffer.from('123456789'))).toBe(0xbb3d);
});

describe('filler between main data', () => {
  const bits = (text: string): Buffer =>
    Buffer.from((text.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));

  test('the changing bit is carried on over a new segment, letters stay', () => {
    const filler = new Filler();
    const first = bits('0101011');
    filler.carryOn(first, 0, 6);
    expect(first).toEqual(bits('0101011'));
    filler.beginSegment();
    // "LAME3.100", then the bit, which the later encoder has the other way round.
    const second = Buffer.concat([Buffer.from('LAME3.100'), bits('10101010')]);
    filler.carryOn(second, 0, second.length * 8);
    expect(second).toEqual(Buffer.concat([Buffer.from('LAME3.100'), bits('01010101')]));
  });

  test('a fill that ends a frame and one of whole bytes that follows are told apart', () => {
    const filler = new Filler();
    const bytes = Buffer.concat([bits('01010'), Buffer.from('LAME')]);
    // Three bits of the first fill at the end of a byte, then four letters.
    bytes[0] = 0b0000_0101;
    filler.carryOn(bytes, 5, bytes.length * 8);
    expect(bytes).toEqual(Buffer.concat([bits('00000101'), Buffer.from('LAME')]));
  });

  test('anything else is not touched but refused', () => {
    expect(() => new Filler().carryOn(bits('01110101'), 0, 8)).toThrow('ancillary data');
  });
});

describe('a file taken apart and put together', () => {
  test.each([
    ['mp3_128', 2, 44_100],
    ['mp3_320', 2, 48_000],
    ['mp3_8', 1, 8000],
    ['mp3_32', 1, 22_050],
    ['mp3_64', 2, 11_025],
    ['mp3_160', 2, 24_000],
  ])('%s, %d ch, %d Hz: the same bytes, Info frame included', async (format, channels, sampleRate) => {
    await inFolder(async (folder) => {
      const [whole, again] = [join(folder, 'whole'), join(folder, 'again')];
      const input = channels === 1 ? await speech({ seconds: 12.3 }) : await music({ seconds: 12.3 });
      const { plan } = await prepare(input, { format, channels, sampleRate });
      await singleRun(input, plan, whole);
      await joinMp3([{ path: whole, cut: 0, runIn: 0 }], again);
      expect((await readFile(again)).equals(await readFile(whole))).toBe(true);
    });
  });
});

test('what is no whole mp3 is refused, and so are segments of different sound', async () => {
  await inFolder(async (folder) => {
    const [a, b, odd] = ['a', 'b', 'odd'].map((name) => join(folder, name)) as [string, string, string];
    const wish = { format: 'mp3_64', channels: 1, sampleRate: 44_100 };
    for (const [input, path] of [
      [await speech({ seconds: 12.3 }), a] as const,
      [await music({ seconds: 12.3 }), b] as const,
    ]) {
      await singleRun(input, (await prepare(input, wish)).plan, path);
    }
    await writeFile(odd, (await readFile(a)).subarray(0, -10));
    const out = join(folder, 'out');
    await expect(joinMp3([{ path: odd, cut: 0, runIn: 0 }], out)).rejects.toThrow('cut off');
    const segments = [
      { path: a, cut: 0, runIn: 0 },
      { path: b, cut: 196, runIn: 98 },
    ];
    await expect(joinMp3(segments, out)).rejects.toThrow('no place at seam 1');
  });
});
