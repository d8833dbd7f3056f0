import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { locateSource, locateTarget } from '../../../container/transfer/file-url.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const root = join(folder, 'media');
await mkdir(join(root, 'a'), { recursive: true });
// The path of this folder begins with the root's, but it is outside.
await mkdir(join(folder, 'media-of-others'));
await writeFile(join(root, 'a/in.wav'), 'x');
await writeFile(join(root, 'sp ace é.wav'), 'x');
await writeFile(join(folder, 'secret'), 'x');
await writeFile(join(folder, 'media-of-others/secret'), 'x');
await symlink(join(folder, 'secret'), join(root, 'link-out'));
await symlink(folder, join(root, 'folder-out'));
await symlink('a/in.wav', join(root, 'link-in'));
await symlink('a', join(root, 'folder-in'));
await symlink('loop', join(root, 'loop'));
await symlink(join(folder, 'nothing'), join(root, 'dangling'));
execFileSync('mkfifo', [join(root, 'fifo')]);

const url = (path: string): URL => new URL(`file://${root}/${path}`);

describe('sources', () => {
  test.each([
    ['a/in.wav', 'a/in.wav'],
    ['sp%20ace%20%C3%A9.wav', 'sp ace é.wav'],
    ['a/../a/./in.wav', 'a/in.wav'],
    ['link-in', 'a/in.wav'],
    ['folder-in/in.wav', 'a/in.wav'],
    ['a/%69n.wav', 'a/in.wav'],
    ['a/in.wav?x=1#y', 'a/in.wav'],
    // The fetch checks the kind of file.
    ['fifo', 'fifo'],
    ['a', 'a'],
  ])('allows the source %s', async (path, real) => {
    expect(await locateSource(url(path), root)).toEqual({ kind: 'inside', path: join(root, real) });
  });

  test.each([
    '../secret',
    'a/../../secret',
    '%2e%2e/secret',
    '..%2fsecret',
    'a%2fin.wav',
    '%00',
    'link-out',
    'folder-out/secret',
    '../media-of-others/secret',
    '',
    '.',
    'loop',
    'x'.repeat(300),
  ])('refuses the source %s', async (path) => {
    expect((await locateSource(url(path), root)).kind).toBe('refused');
  });

  test.each(['nothing.wav', 'a/nothing.wav', 'a/in.wav/deeper', 'dangling'])(
    'reports the source %s as missing',
    async (path) => {
      expect(await locateSource(url(path), root)).toEqual({ kind: 'missing' });
    },
  );

  test('does not reveal whether a file outside the media root exists', async () => {
    const there = await locateSource(new URL(`file://${folder}/secret`), root);
    expect(await locateSource(new URL(`file://${folder}/nothing`), root)).toEqual(there);
    expect(there.kind).toBe('refused');
  });

  test('allows every source under a media root of /', async () => {
    expect(await locateSource(url('a/in.wav'), '/')).toEqual({ kind: 'inside', path: join(root, 'a/in.wav') });
  });

  test('refuses a URL with a host, and every URL without a media root', async () => {
    expect((await locateSource(new URL(`file://host${root}/a/in.wav`), root)).kind).toBe('refused');
    expect(await locateSource(url('a/in.wav'), undefined)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('MEDIA_ROOT'),
    });
  });
});

describe('targets', () => {
  test.each([
    ['new.mp3', 'new.mp3'],
    ['a/in.wav', 'a/in.wav'],
    ['deep/er/new.mp3', 'deep/er/new.mp3'],
    ['folder-in/new.mp3', 'a/new.mp3'],
    // The upload replaces the link, not its target.
    ['link-out', 'link-out'],
  ])('allows the target %s', async (path, real) => {
    expect(await locateTarget(url(path), root)).toEqual({ kind: 'inside', path: join(root, real) });
  });

  test.each(['../new', '%2e%2e/new', '..%2fnew', 'folder-out/new', 'folder-out/deep/new', 'a/', '', 'loop/new', '%00'])(
    'refuses the target %s',
    async (path) => {
      expect((await locateTarget(url(path), root)).kind).toBe('refused');
    },
  );

  test('allows every target under a media root of /', async () => {
    expect(await locateTarget(url('new.mp3'), '/')).toEqual({ kind: 'inside', path: join(root, 'new.mp3') });
    expect(await locateTarget(new URL('file:///new.mp3'), '/')).toEqual({ kind: 'inside', path: '/new.mp3' });
  });

  test('refuses every target without a media root', async () => {
    expect((await locateTarget(url('new'), undefined)).kind).toBe('refused');
  });
});
