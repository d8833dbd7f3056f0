import { expect, test } from 'vitest';
import { readFileEnds } from '../../../../engine/formats/file-ends.ts';
import { lastGranulePosition, readOpusHead } from '../../../../engine/formats/ogg/opus.ts';
import { musicOgg } from '../../../support/media.ts';
import { makeMedia } from '../../../support/media-files.ts';
import { useFolder } from '../../../support/folder.ts';

const folder = useFolder();

test('the first and last page of an Opus file yield its channels, rate and length', async () => {
  const path = await makeMedia(folder, 'a.opus', '-i', musicOgg, '-t', '2', '-ac', '1', '-ar', '24000');
  const { head, tail } = await readFileEnds(path);
  const opusHead = readOpusHead(head);
  expect(opusHead).toMatchObject({ channels: 1, inputSampleRate: 24_000 });
  expect(((lastGranulePosition(tail) ?? 0) - (opusHead?.preSkip ?? 0)) / 48_000).toBeCloseTo(2, 3);
});

test('a truncated file, or one that is not Ogg, yields nothing', () => {
  expect(readOpusHead(Buffer.from('OggS OpusHead'))).toBeUndefined();
  expect(lastGranulePosition(Buffer.from('OggS'))).toBeUndefined();
  expect(lastGranulePosition(Buffer.alloc(100))).toBeUndefined();
});
