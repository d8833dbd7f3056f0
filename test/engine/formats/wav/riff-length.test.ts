import { expect, test } from 'vitest';
import { findRiffLength } from '../../../../engine/formats/wav/riff-length.ts';

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

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
  ['that is whole', wave('RIFF', format(1000), chunk('data', 2000, silence)), { seconds: 2, presentShare: 1 }],
  ['that is cut short', wave('RIFF', format(1000), chunk('data', 4000, silence)), { seconds: 4, presentShare: 0.5 }],
  [
    'with junk behind its data',
    wave('RIFF', format(1000), chunk('data', 1000, silence)),
    { seconds: 1, presentShare: 1 },
  ],
  [
    'with a chunk of odd size',
    wave('RIFF', odd, format(1000), chunk('data', 2000, silence)),
    { seconds: 2, presentShare: 1 },
  ],
  [
    'with a huge chunk before its data',
    wave('RIFF', format(1000), huge, chunk('data', 4000, silence)),
    { seconds: 4, presentShare: 0.5 },
  ],
  [
    'that is RF64',
    wave('RF64', ds64(6_000_000_000n), format(1000), chunk('data', 0xff_ff_ff_ff, silence)),
    { seconds: 6_000_000, presentShare: 2000 / 6_000_000_000 },
  ],
  [
    'that is BW64 and cut short',
    wave('BW64', ds64(4000n), format(1000), chunk('data', 0xff_ff_ff_ff, silence)),
    { seconds: 4, presentShare: 0.5 },
  ],
  ['of size 0', wave('RIFF', format(1000), chunk('data', 0, silence)), undefined],
  ['of size 0xFFFFFFFF', wave('RIFF', format(1000), chunk('data', 0xff_ff_ff_ff, silence)), undefined],
  ['of size 0x7FFFF000', wave('RIFF', format(1000), chunk('data', 0x7f_ff_f0_00, silence)), undefined],
  [
    'that SoX pipes, rounded down to samples',
    wave('RIFF', format(1000), chunk('data', 0x7f_ff_ef_f0, silence)),
    undefined,
  ],
  ['that arecord pipes', wave('RIFF', format(1000), chunk('data', 0x80_00_00_00, silence)), undefined],
  ['of the largest RIFF', wave('RIFF', format(1000), chunk('data', 0xff_ff_ff_ff - 36, silence)), undefined],
  ['that is RF64 without its size', wave('RF64', format(1000), chunk('data', 0xff_ff_ff_ff, silence)), undefined],
  ['without a rate', wave('RIFF', format(0), chunk('data', 2000, silence)), { seconds: undefined, presentShare: 1 }],
  [
    'without a rate that is cut short',
    wave('RIFF', format(0), chunk('data', 4000, silence)),
    { seconds: undefined, presentShare: 0.5 },
  ],
  ['without data', wave('RIFF', format(1000)), undefined],
  ['that ends in a chunk header', wave('RIFF', format(1000), Buffer.from('dat')), undefined],
  ['that is none', Buffer.from('RIFF....AVI LIST'), undefined],
  ['that is empty', Buffer.alloc(0), undefined],
  ['of endless empty chunks', wave('RIFF', Buffer.alloc(100_000)), undefined],
])('the length of a WAV: %s', async (_what, file, declared) => {
  const peek = (position: number) => Promise.resolve(file.subarray(position, position + 24));
  expect(await findRiffLength(peek, file.length)).toEqual(
    declared === undefined ? { kind: 'undeclared' } : { kind: 'declared', ...declared },
  );
});

test.each([0x7f_ff_f0_00, 0x80_00_00_00])('a size of %i bytes is a length if all bytes are present', async (size) => {
  const head = wave('RIFF', format(1000), chunk('data', size));
  const peek = (position: number) => Promise.resolve(head.subarray(position, position + 24));
  expect(await findRiffLength(peek, head.length + size)).toEqual({
    kind: 'declared',
    seconds: size / 1000,
    presentShare: 1,
  });
  expect(await findRiffLength(peek, head.length + size - 1)).toEqual({ kind: 'undeclared' });
});

test.each([
  ['of 5 GiB whose size overflowed', 'wrapped', 5 * 2 ** 30, 5 * 2 ** 30],
  ['of 5 GiB without its last 1,024 bytes', 'wrapped', 5 * 2 ** 30, 5 * 2 ** 30 - 1024],
  ['of 6 GiB, cut at 4.1 GiB', 'wrapped', 6 * 2 ** 30, Math.round(4.1 * 2 ** 30)],
  ['of just under 4 GiB', 'declared', 2 ** 32 - 100, 2 ** 32 - 100],
  ['of just under 4 GiB, with a tag after it', 'declared', 2 ** 32 - 1000, 2 ** 32 - 100],
])('the size of a WAV %s is %s', async (_what, kind, size, present) => {
  const head = wave('RIFF', format(1000), chunk('data', size % 2 ** 32));
  const peek = (position: number) => Promise.resolve(head.subarray(position, position + 24));
  expect(await findRiffLength(peek, head.length + present)).toMatchObject({ kind });
});
