import { expect, test } from 'vitest';
import { nameFiles, nameOutputs } from '../../../cli/media/output-names.ts';
import { formatExtension } from '../../../contract/formats.ts';

const named = (formats: readonly string[]) =>
  formats.map((format) => ({ label: format, extension: formatExtension(format) }));

test.each([
  ['mp3_128', 'mp3'],
  ['mp3', 'mp3'],
  ['aac_96', 'm4a'],
  ['opus_24', 'ogg'],
  ['flac', 'flac'],
  ['wav', 'wav'],
])('writes %s as .%s', (format, extension) => {
  expect(nameFiles('talk', named([format]))).toEqual([`talk.${extension}`]);
});

test.each([
  [['mp3_128', 'opus_24'], undefined, ['talk.mp3', 'talk.ogg']],
  [['mp3_128', 'mp3_64', 'flac'], undefined, ['talk_mp3_128.mp3', 'talk_mp3_64.mp3', 'talk.flac']],
  [['wav'], 'talk.wav', ['talk_wav.wav']],
  [['opus_24'], 'talk.ogg', ['talk_opus_24.ogg']],
  [['opus_24', 'opus_96'], undefined, ['talk_opus_24.ogg', 'talk_opus_96.ogg']],
  [['mp3', 'mp3', 'mp3'], undefined, ['talk_mp3.mp3', 'talk_mp3_2.mp3', 'talk_mp3_3.mp3']],
])('names %j beside %s as %j', (formats, taken, names) => {
  expect(nameFiles('talk', named(formats), taken)).toEqual(names);
});

test('gives each output of several files its own folder', () => {
  const folder = { label: 'thumbnails', extension: undefined };
  expect(nameFiles('talk', [folder, folder, { label: 'mp3', extension: 'mp3' }])).toEqual([
    'talk_thumbnails/',
    'talk_thumbnails_2/',
    'talk.mp3',
  ]);
});

test('never gives an output the name of its source', () => {
  const source = { kind: 'file', path: '/here/talk.mp3', name: 'talk' } as const;
  expect(nameOutputs(source, named(['mp3_64']), { kind: 'folder', path: '/here' })).toEqual(['talk_mp3_64.mp3']);
  expect(nameOutputs(source, named(['mp3_64']), { kind: 'folder', path: '/there' })).toEqual(['talk.mp3']);
});
