import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs, { appendFile, mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { WantedFile } from '../../../contract/http/upload-urls.ts';
import { type DeliverableFile, mostWanted } from '../../../container/transfer/delivery.ts';
import type { InputFile } from '../../../contract/places.ts';
import { testFolder } from '../../support/folder.ts';
import { deliverInTest, makeDeliverableFiles } from './deliver-in-test.ts';

let folder: string;
let scratch: string;
let media: string;
const cancel = { controller: new AbortController() };

beforeEach(async () => {
  folder = testFolder();
  [scratch, media] = [join(folder, 'scratch'), join(folder, 'media')];
  await mkdir(scratch);
  await mkdir(media);
  cancel.controller = new AbortController();
});

const makeFiles = (names: readonly string[]) => makeDeliverableFiles(scratch, names);
const startDelivery = (files: readonly DeliverableFile[], inputs?: readonly InputFile[]) =>
  deliverInTest(files, { scratch, media, inputs, signal: cancel.controller.signal });

const placeOf = (name: string): string => pathToFileURL(join(media, 'film', name)).href;

function urlsFor(wanted: readonly WantedFile[]) {
  return wanted.map(({ output, name }) => ({ output, name, url: placeOf(name) }));
}

const packageNames = ['master.m3u8', 'v360/main.m3u8', 'v360/init.mp4', 'v360/1.m4s', 'a/1.m4s'];

test('stores the files of an output under their names, and again in another run', async () => {
  for (let run = 0; run < 2; run += 1) {
    const files = await makeFiles(packageNames);
    const { ended, delivery } = await startDelivery(files);
    expect(delivery.wanted().map(({ output, name }) => [output, name])).toEqual(packageNames.map((name) => [0, name]));
    await delivery.accept(urlsFor(delivery.wanted()));
    await ended;
    for (const { name, path } of files) {
      expect(await readFile(join(media, 'film', name))).toEqual(await readFile(path));
    }
  }
  expect((await readdir(join(media, 'film'), { recursive: true })).toSorted()).toEqual(
    [...packageNames, 'v360', 'a'].toSorted(),
  );
});

test('stores no playlist before its media', async () => {
  const { ended, delivery } = await startDelivery(await makeFiles(packageNames));
  const isPlaylist = ({ name }: WantedFile): boolean => name.endsWith('.m3u8');
  await delivery.accept(urlsFor(delivery.wanted().filter(isPlaylist)));
  await delivery.accept(urlsFor(delivery.wanted().filter(({ name }) => name === 'v360/init.mp4')));
  await expect.poll(() => existsSync(join(media, 'film/v360/init.mp4'))).toBe(true);
  expect(await readdir(join(media, 'film'), { recursive: true })).toEqual(['v360', 'v360/init.mp4']);
  await delivery.accept(urlsFor(delivery.wanted()));
  await ended;
  expect(existsSync(join(media, 'film/master.m3u8'))).toBe(true);
});

test('leaves no file and no folder if a delivery is cancelled or fails', async () => {
  for (const isCancelled of [true, false]) {
    cancel.controller = new AbortController();
    const { ended, delivery } = await startDelivery(await makeFiles(packageNames));
    const failure = expect(ended).rejects.toThrow();
    const [first, ...others] = urlsFor(delivery.wanted().filter(({ name }) => !name.endsWith('.m3u8')));
    await delivery.accept(others);
    await expect.poll(() => existsSync(join(media, 'film/v360/1.m4s'))).toBe(true);
    if (isCancelled) cancel.controller.abort(new Error('cancelled'));
    // A file cannot be inside a file.
    else await delivery.accept([{ output: 0, name: first?.name ?? '', url: placeOf('v360/1.m4s/below') }]);
    await failure;
    expect(await readdir(media)).toEqual([]);
  }
});

const ofMemory = '/dev/shm';

test.runIf(existsSync(ofMemory))('removes the folder that a cancelled upload has made for others too', async () => {
  const [slow, quick] = await makeFiles(['1.m4s', 'a/2.m4s']);
  if (slow === undefined || quick === undefined) throw new Error('no files');
  // A link from another file system fails, and a copy of a pipe waits for its writer.
  const pipe = join(ofMemory, randomUUID());
  await promisify(execFile)('mkfifo', [pipe]);
  try {
    const { ended, delivery } = await startDelivery([{ ...slow, path: pipe }, quick]);
    const failure = expect(ended).rejects.toThrow('cancelled');
    const [slowUrl, quickUrl] = urlsFor(delivery.wanted());
    await delivery.accept([slowUrl].flatMap((url) => url ?? []));
    await expect.poll(() => existsSync(join(media, 'film'))).toBe(true);
    await delivery.accept([quickUrl].flatMap((url) => url ?? []));
    await expect.poll(() => existsSync(join(media, 'film/a/2.m4s'))).toBe(true);
    cancel.controller.abort(new Error('cancelled'));
    await appendFile(pipe, '');
    await failure;
    expect(await readdir(media)).toEqual([]);
  } finally {
    await rm(pipe);
  }
});

test('asks for the URLs of many files in portions', async () => {
  const names = Array.from({ length: mostWanted + 20 }, (_, index) => `${index}.m4s`);
  const { ended, delivery } = await startDelivery(await makeFiles(names));
  const first = delivery.wanted();
  expect(first).toHaveLength(mostWanted);
  await delivery.accept(urlsFor(first));
  expect(delivery.wanted().map(({ name }) => name)).toEqual(names.slice(mostWanted));
  await delivery.accept(urlsFor(delivery.wanted()));
  await ended;
  expect((await readdir(join(media, 'film'))).toSorted()).toEqual(names.toSorted());
});

test('replaces no input, whenever a link begins to lead to it', async () => {
  await mkdir(join(media, 'film'));
  await writeFile(join(media, 'source.wav'), 'source');
  const input = { field: 'sourceUrl', url: pathToFileURL(join(media, 'source.wav')).href };
  const [file] = await makeFiles(['1.m4s']);
  if (file === undefined) throw new Error('no file');
  const { ended, delivery } = await startDelivery([file], [input]);
  const give = (url: string) => delivery.accept([{ output: 0, name: '1.m4s', url }]);
  for (const url of [input.url, pathToFileURL(join(media, 'film/../source.wav')).href]) {
    await expect(give(url)).rejects.toThrow('would replace the file that sourceUrl names');
  }
  // The request's own targets are checked again when they are written.
  const given = { ...file, target: { kind: 'single' as const, url: input.url } };
  await expect(startDelivery([given], [input])).rejects.toThrow('sourceUrl');
  await give(placeOf('1.m4s'));
  await ended;
  expect(await readFile(join(media, 'source.wav'), 'utf8')).toBe('source');
});

test('compares a target with the inputs again if the disk fails during the comparison', async () => {
  const target = join(media, 'film');
  await mkdir(target);
  await writeFile(join(media, 'source.wav'), 'source');
  const input = { field: 'sourceUrl', url: pathToFileURL(join(media, 'source.wav')).href };
  const [file] = await makeFiles(['1.m4s']);
  if (file === undefined) throw new Error('no file');
  const find = realpath;
  let faults = 0;
  const spy = vi.spyOn(fs, 'realpath').mockImplementation(async (path) => {
    if (path !== target || faults > 0) return await find(path);
    faults += 1;
    throw Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE', syscall: 'realpath' });
  });
  // The named exports of the module follow.
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  const given = { ...file, target: { kind: 'single' as const, url: placeOf('1.m4s') } };
  await expect(startDelivery([given], [input])).rejects.toThrow('asks for no URLs');
  expect(faults).toBe(1);
  expect(await readdir(target)).toEqual(['1.m4s']);
});

test('rejects URLs of two files that links lead to one place', async () => {
  await mkdir(join(media, 'film'));
  await symlink('film', join(media, 'alias'));
  const { ended, delivery } = await startDelivery(await makeFiles(['1.m4s', '2.m4s']));
  await delivery.accept([{ output: 0, name: '1.m4s', url: placeOf('new/x.m4s') }]);
  await expect.poll(() => existsSync(join(media, 'film/new/x.m4s'))).toBe(true);
  const alias = pathToFileURL(join(media, 'alias/new/x.m4s')).href;
  await expect(delivery.accept([{ output: 0, name: '2.m4s', url: alias }])).rejects.toThrow('same place');
  await delivery.accept([{ output: 0, name: '2.m4s', url: placeOf('new/y.m4s') }]);
  await ended;
});

test('rejects URLs by which a failed upload would remove another object', async () => {
  const { ended, delivery } = await startDelivery(await makeFiles(['1.m4s']));
  const [url, signature] = ['https://s3.test/b/k', 'X-Amz-Signature=1'];
  const parts = {
    partUrls: [`${url}?partNumber=1&${signature}`],
    partSize: 5_242_880,
    completeUrl: `${url}?${signature}`,
  };
  for (const [target, reason] of [
    [{ url: `${url}?${signature}`, deleteUrl: `https://s3.test/b/other?${signature}` }, 'its deleteUrl is for another'],
    [
      { url, deleteUrl: `https://s3.test/b/other?GoogleAccessId=k&Signature=s&Expires=1` },
      'its deleteUrl is for another',
    ],
    [{ url, deleteUrl: `https://s3.test/b/other?sv=2024&sr=b&sp=d&sig=s` }, 'its deleteUrl is for another'],
    [{ ...parts, abortUrl: `${url}?${signature}` }, 'its abortUrl has no uploadId'],
    [{ ...parts, abortUrl: `${url}?X-Goog-Signature=1` }, 'its abortUrl has no uploadId'],
  ] as const) {
    await expect(delivery.accept([{ output: 0, name: '1.m4s', ...target }])).rejects.toThrow(reason);
  }
  await delivery.accept(urlsFor(delivery.wanted()));
  await ended;
});
