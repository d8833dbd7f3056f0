import { expect, test } from 'vitest';
import { chunkAnswerUrl, chunkListName, chunkUrl } from '../../contract/chunk-plan.ts';
import {
  mayNameChunk,
  namesOfChunks,
  namesOfOutput,
  namesOfProcessing,
  transcriptNames,
} from '../../contract/written-names.ts';
import { thumbnailNames } from '../../engine/products/package/offer-thumbnails.ts';
import { manifestName, masterName, partNames } from '../../engine/products/package/packager-arguments.ts';

const layouts = ['files', 'byte_ranges'] as const;

function namesOfPart(kind: 'video' | 'audio', name: string): string[] {
  return layouts.flatMap((layout) => {
    const { main, keyFrames = [], media } = partNames({ kind, name }, layout);
    return [main, keyFrames, Object.values(media)].flat(2);
  });
}

test('knows every name that a package, thumbnails and a storyboard write', () => {
  const sheets = layouts.map(thumbnailNames).flatMap(({ playlist, sheet }) => [playlist, sheet('12')]);
  const names = [
    ...[masterName, manifestName, ...sheets],
    ...['v720', 'v1080-2'].flatMap((name) => namesOfPart('video', name)),
    ...['a', 'a-2'].flatMap((name) => namesOfPart('audio', name)),
    ...['s.vtt', 's-2/1.vtt', 's/main.m3u8', 's-2.m3u8'],
    ...['thumbnail-001.jpg', 'sprite-012.webp', 'storyboard.vtt', 'storyboard.bif'],
  ].map((name) => name.replace('$Number$', '15'));
  expect(names.filter((name) => !namesOfOutput.test(name))).toEqual([]);
  for (const other of ['film.mp4', 'master.mp4', 'v720.mkv', 'in/v720.mp4', 'audio.m4a', 'thumbnail.jpg']) {
    expect(namesOfOutput.test(other), other).toBe(false);
  }
});

test('knows every name that chunking and processing write', () => {
  const chunks = [chunkUrl('', 0, 'opus'), chunkUrl('', 123_456, 'flac'), chunkAnswerUrl('', 7), chunkListName];
  for (const name of chunks)
    expect([namesOfChunks.test(name), namesOfProcessing('ogg').test(name)]).toEqual([true, true]);
  const transcripts = ['encoded.ogg', 'chapters.json', ...Object.values(transcriptNames)];
  expect(transcripts.filter((name) => !namesOfProcessing('ogg').test(name))).toEqual([]);
  expect(transcripts.filter((name) => namesOfChunks.test(name))).toEqual([]);
});

test.each([
  ['https://store.test/own/chunk-00000.mp3?X-Amz-Signature=1', true],
  ['file:///media/p%2Fchunk%2D0%30000.wav', true],
  ['s3://media/talk.wav', false],
])('%s may name a chunk: %s', (url, expected) => {
  expect(mayNameChunk(url)).toBe(expected);
});
