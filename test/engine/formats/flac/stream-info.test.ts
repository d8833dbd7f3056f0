import { expect, test } from 'vitest';
import { readFileEnds } from '../../../../engine/formats/file-ends.ts';
import { readFlacStreamInfo } from '../../../../engine/formats/flac/stream-info.ts';
import { musicOgg } from '../../../support/media.ts';
import { makeMedia } from '../../../support/media-files.ts';
import { useFolder } from '../../../support/folder.ts';

const folder = useFolder();

test('STREAMINFO yields the block size and a 36-bit sample count', async () => {
  const { head } = await readFileEnds(await makeMedia(folder, 'a.flac', '-i', musicOgg, '-t', '2'));
  expect(readFlacStreamInfo(head)).toEqual({ blockSize: 4608, totalSamples: 88_200 });
  // Several hours at 192 kHz need more than 32 bits.
  const long = Buffer.from(head.subarray(0, 42));
  long.writeUInt8((long.readUInt8(21) & 0xf0) | 0x0f, 21);
  long.writeUInt32BE(0xff_ff_ff_ff, 22);
  expect(readFlacStreamInfo(long)?.totalSamples).toBe(2 ** 36 - 1);
});

test('a truncated file, or one that is not FLAC, yields nothing', () => {
  expect(readFlacStreamInfo(Buffer.from('fLaC'))).toBeUndefined();
  expect(readFlacStreamInfo(Buffer.alloc(50))).toBeUndefined();
});
