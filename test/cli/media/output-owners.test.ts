import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { NamedSource } from '../../../cli/media/named-source.ts';
import { OutputOwners } from '../../../cli/media/output-owners.ts';

const folder = await mkdtemp(join(tmpdir(), 'holdfast-owners-'));
afterAll(() => rm(folder, { recursive: true }));
await mkdir(join(folder, 'real'));
await symlink('real', join(folder, 'link'));
await writeFile(join(folder, 'real/talk.mp3'), '');

function fileAt(path: string): NamedSource {
  return { kind: 'file', path: join(folder, path), name: 'talk' };
}

test('finds a source at the output path of another source, even through a link', () => {
  const [wav, mp3, linked] = ['real/talk.wav', 'real/talk.mp3', 'link/talk.mp3'].map(fileAt) as [
    NamedSource,
    NamedSource,
    NamedSource,
  ];
  const owners = new OutputOwners([{ source: wav, places: [join(folder, 'real/talk.mp3')] }]);
  for (const source of [mp3, linked]) {
    expect(owners.isOutputOfAnother(source)).toBe(true);
    expect(() => owners.assertNotReplaced(source)).toThrow(/talk\.mp3 is a source.*output of .*talk\.wav/);
  }
  expect(owners.isOutputOfAnother(wav)).toBe(false);
  expect(() => owners.assertNotReplaced(wav)).not.toThrow();
});

test('finds a source that its own output would replace', () => {
  const linked = fileAt('link/talk.mp3');
  const owners = new OutputOwners([{ source: linked, places: [join(folder, 'real/talk.mp3')] }]);
  expect(owners.isOutputOfAnother(linked)).toBe(false);
  expect(() => owners.assertNotReplaced(linked)).toThrow(/would be replaced/);
});
