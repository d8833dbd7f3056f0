import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NamedSource } from '../../../cli/media/named-source.ts';
import { OutputOwners } from '../../../cli/media/output-owners.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
await mkdir(join(folder, 'real'));
await symlink('real', join(folder, 'link'));
await writeFile(join(folder, 'real/talk.mp3'), '');

function fileAt(path: string): NamedSource & { kind: 'file' } {
  return { kind: 'file', path: join(folder, path), name: 'talk' };
}

test('finds a source at the output path of another source, even through a link', () => {
  const [wav, mp3, linked] = [fileAt('real/talk.wav'), fileAt('real/talk.mp3'), fileAt('link/talk.mp3')];
  const owners = new OutputOwners([{ source: wav, places: [join(folder, 'real/talk.mp3')] }]);
  for (const source of [mp3, linked]) {
    expect(owners.isOutputOfAnother(source)).toBe(true);
    expect(() => owners.assertNotReplaced(source.path)).toThrow(/talk\.mp3 is a source.*output of .*talk\.wav/);
  }
  expect(owners.isOutputOfAnother(wav)).toBe(false);
  expect(() => owners.assertNotReplaced(wav.path)).not.toThrow();
});

test('finds a source in the folder of another output, even through a link', async () => {
  await mkdir(join(folder, 'real/film_hls/v720'), { recursive: true });
  const film = fileAt('film.mov');
  const owners = new OutputOwners([{ source: film, places: [join(folder, 'real/film_hls/')] }]);
  for (const path of ['real/film_hls/v720.mp4', 'link/film_hls/v720/init.mp4', 'link/film_hls/v720']) {
    expect(owners.isOutputOfAnother(fileAt(path)), path).toBe(true);
    expect(() => owners.assertNotReplaced(fileAt(path).path)).toThrow(/output of .*film\.mov/);
  }
  for (const path of ['real/film.mp4', 'real/film_hls.mp4']) {
    expect(owners.isOutputOfAnother(fileAt(path)), path).toBe(false);
  }
});

test('finds a source that its own output would replace', () => {
  const linked = fileAt('link/talk.mp3');
  const owners = new OutputOwners([{ source: linked, places: [join(folder, 'real/talk.mp3')] }]);
  expect(owners.isOutputOfAnother(linked)).toBe(false);
  expect(() => owners.assertNotReplaced(linked.path)).toThrow(/would be replaced/);
});

test.each(['alias.mp3', 'twin.mp3'])('finds a source whose own name %s leads to an output path', async (name) => {
  await rm(join(folder, name), { force: true });
  await (name === 'alias.mp3' ? symlink : link)(join(folder, 'real/talk.mp3'), join(folder, name));
  const source = fileAt(name);
  const owners = new OutputOwners([{ source, places: [join(folder, 'real/talk.mp3')] }]);
  expect(() => owners.assertNotReplaced(source.path)).toThrow(/would be replaced/);
});
