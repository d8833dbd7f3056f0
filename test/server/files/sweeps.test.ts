import fs, { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, test, vi } from 'vitest';
import { anybodyHere } from '../../../server/access/caller.ts';
import { readConfig } from '../../../server/config.ts';
import { FileNames } from '../../../server/files/file-names.ts';
import { openFiles } from '../../../server/files/open-files.ts';
import { sweepResults } from '../../../server/files/sweep-results.ts';
import { createUploadId } from '../../../server/files/upload-name.ts';
import { Uploads } from '../../../server/files/uploads.ts';
import { testFolder } from '../../support/folder.ts';

const hourMs = 3_600_000;
const now = Date.now();
let folder: string;

beforeEach(() => void (folder = testFolder()));

async function putFile(path: string, hoursAgo: number, content = 'data'): Promise<void> {
  await writeFile(join(folder, path), content);
  await age(path, hoursAgo);
}

async function age(path: string, hoursAgo: number): Promise<void> {
  const then = new Date(now - hoursAgo * hourMs);
  await utimes(join(folder, path), then, then);
}

async function putUpload(name: string, { hoursAgo, bytes = 4 }: { hoursAgo: number; bytes?: number }): Promise<string> {
  const id = createUploadId(name);
  await putFile(id, hoursAgo);
  await putFile(`${id}.json`, hoursAgo, JSON.stringify({ id, size: bytes, metadata: {} }));
  return id;
}

test('deletes old uploads completely, even those named *.json', async () => {
  const kept = [
    await putUpload('young.json', { hoursAgo: 1 }),
    await putUpload('half young.json', { hoursAgo: 1, bytes: 8 }),
    await putUpload('finished.json', { hoursAgo: 30 }),
    await putUpload('finished.json.json', { hoursAgo: 30 }),
  ];
  await putUpload('half.json', { hoursAgo: 30, bytes: 8 });
  await putUpload('old.json', { hoursAgo: 200 });
  await putUpload('old.json.json', { hoursAgo: 200 });
  await putFile(`${createUploadId('orphan.wav')}.json`, 200, '{}');
  await putFile(createUploadId('orphan.json'), 200);
  await putFile('package.json', 9_000);
  const uploads = new Uploads({ folder, maxBytes: 1e6, keptMs: 168 * hourMs });
  await uploads.sweep(now);
  const expected = [...kept.flatMap((id) => [id, `${id}.json`]), 'package.json'];
  expect((await readdir(folder)).toSorted()).toEqual(expected.toSorted());
});

test('keeps an old upload that an open run uses, and asks for open runs only about old finished uploads', async () => {
  const uploads = new Uploads({ folder, maxBytes: 1e6, keptMs: 168 * hourMs });
  const noTemporal = () => Promise.reject(new Error('no Temporal'));
  const open = await putUpload('open.wav', { hoursAgo: 1 });
  await putUpload('half.wav', { hoursAgo: 30, bytes: 8 });
  await uploads.sweep(now, noTemporal);
  const ended = await putUpload('ended.wav', { hoursAgo: 200 });
  for (const name of [open, `${open}.json`]) await age(name, 200);
  await expect(uploads.sweep(now, noTemporal)).rejects.toThrow('no Temporal');
  expect((await readdir(folder)).toSorted()).toEqual([open, ended].flatMap((id) => [id, `${id}.json`]).toSorted());
  const repeated = await putUpload('repeated.wav', { hoursAgo: 200 });
  await uploads.sweep(now, async () => {
    // A run of it starts now.
    await uploads.finished(repeated, anybodyHere);
    return new Set([open.slice(0, 22)]);
  });
  expect((await readdir(folder)).toSorted()).toEqual([open, repeated].flatMap((id) => [id, `${id}.json`]).toSorted());
});

test('keeps an upload whose facts cannot be read now for as long as a finished one', async () => {
  const uploads = new Uploads({ folder, maxBytes: 1e6, keptMs: 168 * hourMs });
  const open = await putUpload('open.wav', { hoursAgo: 30 });
  await writeFile(join(folder, `${open}.json`), '');
  await age(`${open}.json`, 30);
  await uploads.sweep(now);
  expect(await readdir(folder)).toHaveLength(2);
});

test('the name of a run’s upload keeps it, and changes no other file', async () => {
  const uploads = new Uploads({ folder, maxBytes: 1e6, keptMs: 168 * hourMs });
  const repeated = await putUpload('repeated.wav', { hoursAgo: 200 });
  await putFile('own.json', 200, '[]');
  const names = new FileNames({ uploads });
  await names.markUsed({ sourceUrl: `upload:${repeated}`, sourceName: 'upload:own' });
  await uploads.sweep(now);
  expect((await readdir(folder)).toSorted()).toEqual([repeated, `${repeated}.json`, 'own.json'].toSorted());
  expect(await readFile(join(folder, 'own.json'), 'utf8')).toBe('[]');
  await uploads.finished(repeated, anybodyHere);
});

test('the server asks for open runs before it deletes an old upload', async () => {
  const root = folder;
  const settings = { root, uploadMaxBytes: 1e6, uploadKeptMs: hourMs, resultsKeptMs: undefined, linkKey: undefined };
  folder = join(root, 'holdfast', 'uploads');
  await mkdir(folder, { recursive: true });
  const open = await putUpload('open.wav', { hoursAgo: 2 });
  let asked = 0;
  const files = openFiles(settings, pino({ enabled: false }), async () => {
    asked += 1;
    return await Promise.resolve(new Set([open.slice(0, 22)]));
  });
  await vi.waitFor(() => expect(asked).toBe(1));
  files.stop();
});

test('deletes only its own results, and only when their retention is set and over', async () => {
  const id = (digit: number): string => `${digit}0000000-0000-4000-8000-000000000000`;
  for (const name of [id(1), id(2), id(3), 'own', '..data'])
    await mkdir(join(folder, name, 'chunks'), { recursive: true });
  await putFile(`${id(1)}/talk.mp3`, 800);
  await putFile(`${id(2)}/chunks/1.mp3`, 2);
  await putFile(`${id(3)}/talk.mp3`, 2);
  await putFile('own/talk.mp3', 9_000);
  await putFile(id(4), 9_000);
  for (const name of [id(1), id(2), id(3), 'own', '..data']) {
    await age(`${name}/chunks`, 800);
    await age(name, 800);
  }
  const { media } = readConfig({ MEDIA_ROOT: folder });
  await sweepResults(folder, media?.resultsKeptMs, now);
  expect(await readdir(folder)).toHaveLength(6);
  const limited = readConfig({ MEDIA_ROOT: folder, RESULTS_KEPT_HOURS: '720' });
  await sweepResults(folder, limited.media?.resultsKeptMs, now);
  expect((await readdir(folder)).toSorted()).toEqual(['..data', id(2), id(3), id(4), 'own']);
  await sweepResults(join(folder, 'missing'), 720 * hourMs, now);
});

test('keeps old results that the input of an open run names, and asks for open runs only about old results', async () => {
  const [open, ended, young] = [1, 2, 3].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`) as [
    string,
    string,
    string,
  ];
  let asked = 0;
  const namesOfOpenRuns = async () => {
    asked += 1;
    return new Set([open]);
  };
  await mkdir(join(folder, young));
  await sweepResults(folder, hourMs, now, namesOfOpenRuns);
  expect(asked).toBe(0);
  for (const name of [open, ended]) {
    await mkdir(join(folder, name));
    await age(name, 2);
  }
  await sweepResults(folder, hourMs, now, namesOfOpenRuns);
  expect(await readdir(folder)).toEqual([open, young]);
  expect(asked).toBe(1);
  await expect(sweepResults(folder, hourMs, now, () => Promise.reject(new Error('no Temporal')))).rejects.toThrow();
  expect(await readdir(folder)).toEqual([open, young]);
});

test('keeps old results that a run writes while the sweep looks for open runs', async () => {
  const name = '10000000-0000-4000-8000-000000000000';
  await mkdir(join(folder, name));
  await age(name, 2);
  await sweepResults(folder, hourMs, now, async () => {
    await age(name, 0);
    return new Set();
  });
  expect(await readdir(folder)).toEqual([name]);
});

test('keeps results whose time of change a shared disk does not report', async () => {
  const name = '10000000-0000-4000-8000-000000000000';
  await mkdir(join(folder, name));
  await age(name, 800);
  const stale = Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' });
  const spies = [vi.spyOn(fs, 'lstat'), vi.spyOn(fs, 'stat')].map((spy) => spy.mockRejectedValue(stale));
  // The named exports of the module follow.
  syncBuiltinESMExports();
  try {
    await sweepResults(folder, hourMs, now);
  } finally {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  }
  expect(await readdir(folder)).toContain(name);
  await sweepResults(folder, hourMs, now);
  expect(await readdir(folder)).not.toContain(name);
});
