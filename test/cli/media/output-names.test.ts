import { expect, test } from 'vitest';
import { fileExtension, namesFor, outputNames } from '../../../cli/media/output-names.ts';

test.each([
  ['mp3_128', 'mp3'],
  ['mp3', 'mp3'],
  ['aac_96', 'm4a'],
  ['opus_24', 'opus'],
  ['flac', 'flac'],
  ['wav', 'wav'],
])('%s is written as .%s', (format, extension) => {
  expect(fileExtension(format)).toBe(extension);
});

test.each([
  [['mp3_128', 'opus_24'], undefined, ['talk.mp3', 'talk.opus']],
  [['mp3_128', 'mp3_64', 'flac'], undefined, ['talk_mp3_128.mp3', 'talk_mp3_64.mp3', 'talk.flac']],
  [['wav'], 'talk.wav', ['talk_wav.wav']],
  [['mp3', 'mp3', 'mp3'], undefined, ['talk_mp3.mp3', 'talk_mp3_2.mp3', 'talk_mp3_3.mp3']],
])('%j beside %s are named %j', (formats, taken, names) => {
  expect(namesFor('talk', formats, taken)).toEqual(names);
});

test('an output is never called as its source, which it would overwrite', () => {
  const source = { kind: 'file', path: '/here/talk.mp3', name: 'talk' } as const;
  expect(outputNames(source, ['mp3_64'], { kind: 'folder', path: '/here' })).toEqual(['talk_mp3_64.mp3']);
  expect(outputNames(source, ['mp3_64'], { kind: 'folder', path: '/there' })).toEqual(['talk.mp3']);
});
