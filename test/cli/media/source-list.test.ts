import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { listSources } from '../../../cli/media/source-list.ts';
import { asAnotherUser } from '../../support/another-user.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
for (const path of ['talks/2024', 'talks/.cache', 'empty']) await mkdir(join(folder, path), { recursive: true });
for (const path of [
  'a.wav',
  'odd[1].wav',
  'talks/b.MP3',
  'talks/a.flac',
  'talks/cover.jpg',
  'talks/2024/c.opus',
  'talks/.cache/d.wav',
  'talks/.hidden.wav',
]) {
  await writeFile(join(folder, path), '');
}

/** Each source as `<subfolder>|<path or URL>`. */
function list(texts: string[], isRecursive = false): string[] {
  return listSources(texts, { userFolder: folder, isRecursive }).map(
    ({ source, subfolder }) =>
      `${subfolder}|${source.kind === 'file' ? source.path.slice(folder.length + 1) : source.url}`,
  );
}

test('lists the media files of a folder by name, without hidden ones', () => {
  expect(list(['talks'])).toEqual(['|talks/a.flac', '|talks/b.MP3']);
  expect(list([pathToFileURL(join(folder, 'talks')).href])).toEqual(['|talks/a.flac', '|talks/b.MP3']);
});

test('lists subfolders with --recursive and keeps the relative paths', () => {
  expect(list(['talks'], true)).toEqual(['2024|talks/2024/c.opus', '|talks/a.flac', '|talks/b.MP3']);
});

test('lists the files that match a pattern, relative to its part before the first wildcard', () => {
  expect(list(['talks/**/*.opus'])).toEqual(['2024|talks/2024/c.opus']);
  expect(list(['*.wav'])).toEqual(['|a.wav', '|odd[1].wav']);
  expect(list([join(folder, 'talks', '*.{MP3,jpg}')])).toEqual(['|talks/b.MP3', '|talks/cover.jpg']);
});

test('lists the files that match a pattern in a folder whose own name has wildcards', async () => {
  const odd = join(folder, '[2024] {a,b}*?');
  await mkdir(join(odd, 'talks'), { recursive: true });
  for (const name of ['a.wav', 'talks/b.wav']) await writeFile(join(odd, name), '');
  const inside = (text: string, userFolder = odd) =>
    listSources([text], { userFolder, isRecursive: false }).map(
      ({ source, subfolder }) => `${subfolder}|${source.kind === 'file' ? relative(odd, source.path) : source.url}`,
    );
  expect(inside('*.wav')).toEqual(['|a.wav']);
  expect(inside('**/*.wav')).toEqual(['|a.wav', 'talks|talks/b.wav']);
  expect(inside('../*.wav', join(odd, 'talks'))).toEqual(['|a.wav']);
});

test('keeps the outputs of files beside the folder of a pattern below the output folder', async () => {
  for (const name of ['work/a/x.wav', 'work/b/y.wav', 'work/u/z.wav', 'work/u/sub/z.flac']) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), '');
  }
  const [userFolder, work] = [join(folder, 'work/u'), join(folder, 'work')];
  const from = (text: string) =>
    listSources([text], { userFolder, isRecursive: false }).map(
      ({ source, subfolder }) => `${subfolder}|${source.name}`,
    );
  expect(from('{../a,../b}/*.wav')).toEqual(['a|x', 'b|y']);
  expect(from('{.,../a}/*.wav')).toEqual(['a|x', 'u|z']);
  expect(from(`{${work}/a,${work}/b}/*.wav`)).toEqual(['a|x', 'b|y']);
  expect(from('{../a,../b}/x.wav')).toEqual(['a|x']);
  expect(from('*/../../b/*.wav')).toEqual(['b|y']);
});

test('prefers an existing file over a pattern of the same name', () => {
  expect(list(['odd[1].wav'])).toEqual(['|odd[1].wav']);
});

test('keeps the order of files and URLs and lists each once', () => {
  const url = 'https://example.org/talk.wav?list=[1]';
  expect(list([url, 'a.wav', './a.wav', 'talks/a.flac', 'talks'])).toEqual([
    `|${url}`,
    '|a.wav',
    '|talks/a.flac',
    '|talks/b.MP3',
  ]);
});

test.each([
  [['empty'], /"empty" contains no media files.*--recursive/],
  [['nothing*.wav'], /No file matches "nothing\*\.wav"/],
  [['missing.wav'], /There is no file "missing\.wav"/],
  [['a.wav', 'ftp://example.org/a.wav'], /cannot be fetched/],
])('refuses %j with %s', (texts, sentence) => {
  expect(() => list(texts)).toThrow(sentence);
});

test('refuses an empty source, which would mean the current folder', () => {
  for (const text of ['', '  ']) expect(() => list(['a.wav', text])).toThrow(/One of the sources is empty/);
});

test('explains links in a loop, names that are too long, and bad file URLs', async () => {
  await symlink('circle.wav', join(folder, 'circle.wav'));
  expect(() => list(['circle.wav'])).toThrow(/^"circle\.wav" cannot be read: its symbolic links form a loop\.$/);
  expect(() => list([`${'n'.repeat(300)}.wav`])).toThrow(/a name in it is too long/);
  for (const url of ['file://host/talk.wav', 'file:///a%2Fb.wav', 'file://%zz/'])
    expect(() => list([url])).toThrow(/is not a local file/);
});

test('refuses a file whose name is not UTF-8, because its path cannot be opened', async () => {
  await mkdir(join(folder, 'latin'));
  await writeFile(Buffer.concat([Buffer.from(join(folder, 'latin/caf')), Buffer.of(0xe9), Buffer.from('.wav')]), '');
  expect(() => list(['latin'])).toThrow(/caf\uFFFD\.wav" is not UTF-8\. Rename it/);
});

test('enters no hidden folder with --recursive, and names a visible one that cannot be read', async () => {
  const disk = join(folder, 'disk');
  for (const name of ['.Trashes', 'talks']) await mkdir(join(disk, name), { recursive: true });
  await writeFile(join(disk, 'talks/a.wav'), '');
  await asAnotherUser(disk, ['.Trashes'], () => {
    expect(list(['disk'], true)).toEqual(['talks|disk/talks/a.wav']);
  });
  await asAnotherUser(disk, ['talks'], () => {
    expect(() => list(['disk'], true)).toThrow(`The folder "${join(disk, 'talks')}" in "disk" cannot be read`);
  });
});

test('follows links to folders with --recursive, but none that leads nowhere or to a folder of the tree', async () => {
  const linked = join(folder, 'linked');
  for (const path of ['linked/in/deep', 'linked/else/deep']) await mkdir(join(folder, path), { recursive: true });
  for (const path of ['in/a.wav', 'else/b.wav', 'else/deep/c.wav']) await writeFile(join(linked, path), '');
  await symlink('../else', join(linked, 'in/link'));
  await symlink('../../in', join(linked, 'in/deep/up'));
  await symlink('nowhere', join(linked, 'in/broken'));
  await symlink('loop', join(linked, 'in/loop'));
  const names = list(['linked/in'], true).map((name) => name.split('linked/in/').at(-1));
  expect(names).toEqual(['a.wav', 'link/b.wav', 'link/deep/c.wav']);
  // `in/link` comes before `else`, and both link to each other.
  await symlink('../in', join(linked, 'else/back'));
  expect(list(['linked'], true)).toEqual([
    'else|linked/else/b.wav',
    'else/deep|linked/else/deep/c.wav',
    'in|linked/in/a.wav',
  ]);
  await symlink('in', join(linked, 'same'));
  expect(list(['linked/in/a.wav', 'linked/same'])).toEqual(['|linked/in/a.wav']);
});

test('lists links to media files in a folder, but none that leads nowhere or to a folder', async () => {
  const links = join(folder, 'links');
  await mkdir(links);
  await symlink('../a.wav', join(links, 'b.wav'));
  await symlink('nowhere.wav', join(links, 'broken.wav'));
  await symlink('loop.wav', join(links, 'loop.wav'));
  await symlink('../talks', join(links, 'talks.wav'));
  expect(list(['links'])).toEqual(['|links/b.wav']);
  await writeFile(join(links, 'a.wav'), '');
  expect(list(['links'])).toEqual(['|links/a.wav', '|links/b.wav']);
});

// Root can read every file.
test.skipIf(process.getuid?.() === 0)('names files and folders that cannot be read', async () => {
  await mkdir(join(folder, 'closed'));
  await writeFile(join(folder, 'closed.wav'), '');
  for (const name of ['closed', 'closed.wav']) await chmod(join(folder, name), 0);
  expect(() => list(['closed.wav'])).toThrow('"closed.wav" cannot be read: permission is denied.');
  expect(() => list(['closed'])).toThrow('The folder "closed" cannot be read: permission is denied.');
  await chmod(join(folder, 'closed'), 0o700);
});
