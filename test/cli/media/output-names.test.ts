import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NamedSource } from '../../../cli/media/named-source.ts';
import { nameFiles, nameOutputs } from '../../../cli/media/output-names.ts';
import { formatExtension } from '../../../contract/formats.ts';
import { testFolder } from '../../support/folder.ts';

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
  expect(nameFiles('talk', named(formats), (name) => name === taken)).toEqual(names);
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

test('never gives an output the name of its source, whatever leads to the destination', async () => {
  const folder = testFolder();
  await mkdir(join(folder, 'real'));
  await symlink('real', join(folder, 'alias'));
  await writeFile(join(folder, 'real/talk.mp3'), '');
  await symlink('real/talk.mp3', join(folder, 'talk.mp3'));
  const namesOf = (path: string, out: string) =>
    nameOutputs({ kind: 'file', path: join(folder, path), name: 'talk' }, named(['mp3_64']), {
      kind: 'folder',
      path: join(folder, out),
    });
  expect(namesOf('real/talk.mp3', 'alias')).toEqual(['talk_mp3_64.mp3']);
  expect(namesOf('talk.mp3', 'real')).toEqual(['talk_mp3_64.mp3']);
  expect(namesOf('talk.mp3', '.')).toEqual(['talk_mp3_64.mp3']);
  // On a disk without case, both names lead to one file.
  await writeFile(join(folder, 'TALK.MP3'), '');
  await link(join(folder, 'TALK.MP3'), join(folder, 'TALK.mp3'));
  const shouted = { kind: 'file', path: join(folder, 'TALK.MP3'), name: 'TALK' } as const;
  expect(nameOutputs(shouted, named(['mp3_64']), { kind: 'folder', path: folder })).toEqual(['TALK_mp3_64.mp3']);
  const stored: NamedSource = { kind: 'url', url: 's3://b/in/talk.mp3', name: 'talk' };
  const prefixes = ['s3://b/in/', 's3://b/'];
  const names = prefixes.map((prefix) => nameOutputs(stored, named(['mp3_64']), { kind: 'store', prefix }));
  expect(names).toEqual([['talk_mp3_64.mp3'], ['talk.mp3']]);
});
