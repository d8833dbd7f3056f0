import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { MediaLinks } from '../../../server/files/media-links.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const root = join(folder, 'media');
await mkdir(join(root, 'a folder'), { recursive: true });
await writeFile(join(folder, 'secret.txt'), 'secret');
await writeFile(join(root, 'a folder', '100% ü #1?.mp3'), 'sound');
await symlink(join(folder, 'secret.txt'), join(root, 'leads-out.mp3'));
await symlink(folder, join(root, 'folder-leads-out'));
const links = new MediaLinks(root, undefined);

const parts = (url: string) => {
  const { pathname, searchParams } = new URL(url, 'http://here');
  const query = { expires: searchParams.get('expires') ?? '', signature: searchParams.get('signature') ?? '' };
  return { place: pathname.slice('/media/'.length), query };
};
const urlOf = (...names: string[]): string => pathToFileURL(join(root, ...names)).href;

test('opens a file by its link until the link expires, whatever the name', async () => {
  const now = Date.now();
  const linked = await links.link(urlOf('a folder', '100% ü #1?.mp3'), now);
  expect(linked).toMatchObject({ bytes: 5 });
  const { place, query } = parts(linked?.url ?? '');
  const path = join(root, 'a folder', '100% ü #1?.mp3');
  expect(await links.open(place, query, now)).toEqual({ path, bytes: 5 });
  const end = Date.parse(linked?.expiresAt ?? '');
  expect(await links.open(place, query, end)).toEqual({ path, bytes: 5 });
  await expect(links.open(place, query, end + 1)).rejects.toMatchObject({ code: 'link_expired' });
});

test('rejects a link that was changed to another file or time', async () => {
  const { place, query } = parts((await links.link(urlOf('a folder', '100% ü #1?.mp3')))?.url ?? '');
  const later = { ...query, expires: String(Number(query.expires) + 3600) };
  const others = [
    [place, later],
    [place, { ...query, signature: '' }],
    [place, { ...query, signature: query.signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) }],
    ['../secret.txt', query],
    ['..%2fsecret.txt', query],
    ['leads-out.mp3', query],
    ['%E0%A4', query],
    ['%00', query],
  ] as const;
  for (const [other, given] of others) {
    await expect(links.open(other, given)).rejects.toMatchObject({ code: 'not_found' });
  }
  const foreign = new MediaLinks(root, 'another key, which has 32 characters');
  await expect(foreign.open(place, query)).rejects.toMatchObject({ code: 'not_found' });
});

test('gives no link to a file outside the root, however it is named', async () => {
  const outside = [
    ...[urlOf('leads-out.mp3'), urlOf('folder-leads-out', 'secret.txt'), urlOf('a folder'), urlOf('missing.mp3')],
    ...[`file://${root}/..%2fsecret.txt`, `file://${root}/../secret.txt`, 'file:///etc/passwd', `file://${root}/%00`],
    ...['file://host/etc/passwd', 'https://media.test/talk.mp3', 'no url', `file://${root}`],
  ];
  for (const url of outside) expect(await links.link(url), url).toBeUndefined();
});

test('rejects a link whose file was replaced by a symbolic link out of the root', async () => {
  await writeFile(join(root, 'replaced.mp3'), 'sound');
  const { place, query } = parts((await links.link(urlOf('replaced.mp3')))?.url ?? '');
  await rm(join(root, 'replaced.mp3'));
  await symlink(join(folder, 'secret.txt'), join(root, 'replaced.mp3'));
  await expect(links.open(place, query)).rejects.toMatchObject({ code: 'not_found' });
});

test('opens the files of an output below a linked folder by relative paths, and no others', async () => {
  const folderOfPackage = join(root, 'package');
  await mkdir(join(folderOfPackage, 'v720'), { recursive: true });
  await writeFile(join(folderOfPackage, 'v720', 'main.m3u8'), 'playlist');
  await symlink(join(root, 'a folder', '100% ü #1?.mp3'), join(folderOfPackage, 'v720', '1.m4s'));
  await writeFile(join(folderOfPackage, 'of-another-run.mp3'), 'secret');
  await mkdir(join(folderOfPackage, 'other', 'v720'), { recursive: true });
  await writeFile(join(folderOfPackage, 'other', 'v720', 'main.m3u8'), 'secret');
  const now = Date.now();
  const linked = await links.linkFolder(`${pathToFileURL(folderOfPackage).href}/`, now);
  const url = linked?.urlOf('v720/main.m3u8') ?? '';
  const [, , , token = '', ...rest] = url.split('/');
  expect(rest.join('/')).toBe('v720/main.m3u8');
  const path = join(folderOfPackage, 'v720', 'main.m3u8');
  expect(await links.openInFolder(token, rest.join('/'), now)).toEqual({ path, bytes: 8 });
  const late = Date.parse(linked?.expiresAt ?? '') + 1;
  await expect(links.openInFolder(token, rest.join('/'), late)).rejects.toMatchObject({ code: 'link_expired' });

  const [expires = '', signature = ''] = token.split('.');
  const other = [expires, signature, Buffer.from('a folder').toString('base64url')].join('.');
  const ofFile = await links.link(urlOf('a folder', '100% ü #1?.mp3'), now);
  const { place, query } = parts(ofFile?.url ?? '');
  const refused = [
    ...[
      [token, '..%2fa%20folder%2f100%25%20%C3%BC%20%231%3F.mp3'] as const,
      [token, 'v720/1.m4s'] as const,
      [token, 'of-another-run.mp3'] as const,
      [token, 'other/v720/main.m3u8'] as const,
    ],
    ...[[token, 'v720'] as const, [token, '%E0%A4'] as const, [token.slice(0, -1), 'v720/main.m3u8'] as const],
    ...[[other, '100%25%20%C3%BC%20%231%3F.mp3'] as const, ['', ''] as const],
    [
      [query.expires, query.signature, Buffer.from(decodeURIComponent(place)).toString('base64url')].join('.'),
      '',
    ] as const,
  ];
  for (const [given, file] of refused) {
    await expect(links.openInFolder(given, file, now), file).rejects.toMatchObject({ code: 'not_found' });
  }
  // A folder's signature opens no file either.
  await expect(links.open('package/', { expires, signature }, now)).rejects.toMatchObject({ code: 'not_found' });
  for (const url of [
    urlOf('a folder', '100% ü #1?.mp3'),
    urlOf('folder-leads-out'),
    `file://${root}/../`,
    'https://x.test/',
  ]) {
    expect(await links.linkFolder(url), url).toBeUndefined();
  }
});
