import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { declaredSize } from '../../../container/formats/declared-size.ts';
import { readFileEnds } from '../../../container/formats/file-ends.ts';
import { readFlacStreamInfo } from '../../../container/formats/flac/stream-info.ts';
import { id3v2Length } from '../../../container/formats/mp3/id3v2-length.ts';
import { readLameInfo } from '../../../container/formats/mp3/lame-info.ts';
import { lastGranulePosition, readOpusHead } from '../../../container/formats/ogg/opus.ts';
import { riffLength } from '../../../container/formats/wav/riff-length.ts';
import { musicOgg } from '../../support/media.ts';
import { makeMedia } from '../operations/media-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-parsers-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

describe('riffLength', () => {
  const format = (bytesPerSecond: number) =>
    Buffer.concat([Buffer.from('fmt '), uint32(16), Buffer.alloc(8), uint32(bytesPerSecond), Buffer.alloc(4)]);
  const chunk = (id: string, size: number, body = Buffer.alloc(0)) =>
    Buffer.concat([Buffer.from(id), uint32(size), body]);
  const wave = (magic: string, ...chunks: Buffer[]) =>
    Buffer.concat([Buffer.from(magic), uint32(0), Buffer.from('WAVE'), ...chunks]);
  const ds64 = (size: bigint) => {
    const body = Buffer.alloc(28);
    body.writeBigUInt64LE(size, 8);
    return chunk('ds64', 28, body);
  };
  const odd = chunk('LIST', 3, Buffer.alloc(4));
  const huge = chunk('LIST', 300_000, Buffer.alloc(300_000));
  const silence = Buffer.alloc(2000);

  test.each([
    ['plain', wave('RIFF', format(1000), chunk('data', 2000, silence)), { seconds: 2, isWhole: true }],
    ['cut short', wave('RIFF', format(1000), chunk('data', 4000, silence)), { seconds: 4, isWhole: false }],
    ['junk behind', wave('RIFF', format(1000), chunk('data', 1000, silence)), { seconds: 1, isWhole: true }],
    [
      'a chunk of odd size',
      wave('RIFF', odd, format(1000), chunk('data', 2000, silence)),
      { seconds: 2, isWhole: true },
    ],
    [
      'a huge chunk before',
      wave('RIFF', format(1000), huge, chunk('data', 4000, silence)),
      { seconds: 4, isWhole: false },
    ],
    [
      'RF64',
      wave('RF64', ds64(6_000_000_000n), format(1000), chunk('data', 0xff_ff_ff_ff, silence)),
      { seconds: 6_000_000, isWhole: false },
    ],
    ['size 0', wave('RIFF', format(1000), chunk('data', 0, silence)), undefined],
    ['size 0xFFFFFFFF', wave('RIFF', format(1000), chunk('data', 0xff_ff_ff_ff, silence)), undefined],
    ['size 0x7FFFF000', wave('RIFF', format(1000), chunk('data', 0x7f_ff_f0_00, silence)), undefined],
    ['RF64 without its size', wave('RF64', format(1000), chunk('data', 0xff_ff_ff_ff, silence)), undefined],
    ['no rate', wave('RIFF', format(0), chunk('data', 2000, silence)), undefined],
    ['no data', wave('RIFF', format(1000)), undefined],
    ['ends in a chunk header', wave('RIFF', format(1000), Buffer.from('dat')), undefined],
    ['no WAV', Buffer.from('RIFF....AVI LIST'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
    // Chunks of no size, for ever.
    ['a maze', wave('RIFF', Buffer.alloc(100_000)), undefined],
  ])('%s', async (_what, file, declared) => {
    const peek = (position: number) => Promise.resolve(file.subarray(position, position + 24));
    expect(await riffLength(peek, file.length)).toEqual(
      declared === undefined ? { kind: 'undeclared' } : { kind: 'declared', ...declared },
    );
  });
});

describe('declaredSize', () => {
  const peekOf = (file: Buffer) => (position: number) => Promise.resolve(file.subarray(position, position + 96));

  test.each(['caf', 'w64', 'asf'])('%s, whole, cut short and streamed', async (formatName) => {
    const extension = formatName === 'asf' ? 'wma' : formatName;
    const path = await makeMedia(folder, `a.${extension}`, '-i', musicOgg, '-t', '3');
    const bytes = await readFile(path);
    const whole = await declaredSize(formatName, peekOf(bytes), bytes.length);
    expect(whole?.declared).toBeGreaterThan(20_000);
    expect(whole?.present).toBe(whole?.declared);
    const half = bytes.subarray(0, bytes.length / 2);
    const cut = await declaredSize(formatName, peekOf(half), half.length);
    expect(cut?.declared).toBe(whole?.declared);
    expect((cut?.present ?? 0) / (cut?.declared ?? 0)).toBeCloseTo(0.5, 1);
  });

  test.each([
    ['nothing', 'caf', Buffer.alloc(0)],
    ['a maze of no size', 'w64', Buffer.alloc(10_000)],
    ['a size beyond all files', 'asf', Buffer.alloc(200, 0xff)],
    ['another format', 'ogg', Buffer.alloc(200)],
    [
      'unknown length',
      'caf',
      Buffer.concat([Buffer.from('caff\0\0\0\0data'), Buffer.alloc(8, 0xff), Buffer.alloc(99)]),
    ],
  ])('undeclared: %s', async (_what, formatName, file) => {
    expect(await declaredSize(formatName, peekOf(file), file.length)).toBeUndefined();
  });
});

describe('what encoders write about themselves', () => {
  test('the Info frame of an mp3, behind a tag that says Info itself', async () => {
    const comment = `Xing ${'x'.repeat(75_000)}`;
    const tags = ['title=Info', `comment=${comment}`, `lyrics=${comment}`].flatMap((tag) => ['-metadata', tag]);
    const path = await makeMedia(folder, 'a.mp3', '-i', musicOgg, '-t', '3', '-b:a', '128k', ...tags);
    const bytes = await readFile(path);
    expect(id3v2Length(bytes)).toBeGreaterThan(150_000);
    const { head } = await readFileEnds(path);
    expect(head.equals(bytes.subarray(id3v2Length(bytes), id3v2Length(bytes) + head.length))).toBe(true);
    const info = readLameInfo(head);
    expect(((info?.frames ?? 0) * 1152 - (info?.encoderDelay ?? 0) - (info?.padding ?? 0)) / 44_100).toBeCloseTo(3, 3);
  });

  test.each([
    ['no tag', 'RIFF', 0],
    ['a plain one', 'ID3\u0003\0\0\0\0\u0001\0', 138],
    ['with a footer', 'ID3\u0004\0\u0010\0\0\u0001\0', 148],
    ['a size that is none', 'ID3\u0003\0\0\0\0\u0080\0', 0],
    ['too short', 'ID3', 0],
  ])('ID3v2: %s', (_what, head, length) => {
    expect(id3v2Length(Buffer.from(head, 'latin1'))).toBe(length);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['silence', Buffer.alloc(500)],
    ['cut off within', Buffer.concat([Buffer.alloc(36), Buffer.from('Info'), Buffer.alloc(40)])],
    ['no count of frames', Buffer.concat([Buffer.alloc(36), Buffer.from('Xing'), Buffer.alloc(400)])],
    ['the word in later frames', Buffer.concat([Buffer.alloc(200), Buffer.from('Info\0\0\0\x01'), Buffer.alloc(400)])],
  ])('no Info frame: %s', (_what, head) => {
    expect(readLameInfo(head)).toBeUndefined();
  });

  test('Opus and FLAC headers', async () => {
    const opus = await readFileEnds(
      await makeMedia(folder, 'a.opus', '-i', musicOgg, '-t', '2', '-ac', '1', '-ar', '24000'),
    );
    const opusHead = readOpusHead(opus.head);
    expect(opusHead).toMatchObject({ channels: 1, inputSampleRate: 24_000 });
    expect(((lastGranulePosition(opus.tail) ?? 0) - (opusHead?.preSkip ?? 0)) / 48_000).toBeCloseTo(2, 3);
    expect(readOpusHead(Buffer.from('OggS OpusHead'))).toBeUndefined();
    expect(lastGranulePosition(Buffer.from('OggS'))).toBeUndefined();
    expect(lastGranulePosition(Buffer.alloc(100))).toBeUndefined();

    const flac = await readFileEnds(await makeMedia(folder, 'a.flac', '-i', musicOgg, '-t', '2'));
    expect(readFlacStreamInfo(flac.head)).toEqual({ blockSize: 4608, totalSamples: 88_200 });
    expect(readFlacStreamInfo(Buffer.from('fLaC'))).toBeUndefined();
    expect(readFlacStreamInfo(Buffer.alloc(50))).toBeUndefined();
    // 36 bits: some hours at 192 kHz need more than 32.
    const long = Buffer.from(flac.head.subarray(0, 42));
    long.writeUInt8((long.readUInt8(21) & 0xf0) | 0x0f, 21);
    long.writeUInt32BE(0xff_ff_ff_ff, 22);
    expect(readFlacStreamInfo(long)?.totalSamples).toBe(2 ** 36 - 1);
  });
});
