import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useDelivery } from './use-delivery.ts';

const service = await useDelivery();
const { give, submit, untilWanted } = service;

/** Starts a job that has stored one file and waits for the URL of the other. */
async function halfStored(target: { url: string; deleteUrl?: string }): Promise<string> {
  const jobId = await submit([
    { format: 'mp3_64', deliver: 'on_demand' },
    { format: 'wav', deliver: 'on_demand' },
  ]);
  await untilWanted(jobId, 2);
  const { percent: before } = await service.container.job(jobId);
  await give(jobId, { output: 0, ...target });
  await expect.poll(async () => (await service.container.job(jobId)).percent).toBeGreaterThan(before);
  return jobId;
}

async function cancel(jobId: string): Promise<void> {
  expect((await service.container.call('DELETE', `/jobs/${jobId}`)).body.state).toBe('cancelled');
}

/** Ends a job by a store that refuses its second file. */
async function fail(jobId: string, storeCode = 'AccessDenied'): Promise<void> {
  const refusing = service.media.on(`PUT /${randomUUID()}.wav`, (request, response) => {
    const page = `<Error><Code>${storeCode}</Code></Error>`;
    request.resume().once('end', () => response.writeHead(403).end(page));
  });
  await give(jobId, { output: 1, url: refusing });
  expect(await service.untilEnded(jobId)).toMatchObject({ state: 'failed', error: { code: 'upload_refused' } });
}

function newFile() {
  const name = `${randomUUID()}.mp3`;
  return { path: join(service.container.mediaRoot, name), url: service.container.fileUrl(name) };
}

async function untilStored(path: string): Promise<void> {
  await service.container.process.until('stored file', () => existsSync(path));
}

test.each(['file:', 'FILE:', '\u0001fi\nle:'])('removes the file of a cancelled job from disk (%j)', async (scheme) => {
  const { path, url } = newFile();
  const jobId = await halfStored({ url: url.replace('file:', scheme) });
  await untilStored(path);
  await cancel(jobId);
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});

test('keeps a file that another job has stored in the same place', async () => {
  const { path, url } = newFile();
  const jobId = await halfStored({ url });
  await untilStored(path);
  await writeFile(`${path}.new`, await readFile(path));
  await rename(`${path}.new`, path);
  await cancel(jobId);
  expect((await readFile(path)).length).toBeGreaterThan(0);
});

test.each([
  ['cancelled', cancel],
  ['failed', fail],
])('keeps a file of a %s job that replaced the file of another job', async (_state, end) => {
  const { path, url } = newFile();
  await writeFile(path, 'of another job');
  const jobId = await halfStored({ url });
  await expect.poll(() => readFile(path, 'latin1')).not.toBe('of another job');
  await end(jobId);
  expect((await readFile(path)).length).toBeGreaterThan(0);
});

test('removes nothing from a store after a cancellation: the next attempt may have stored the same file', async () => {
  const url = `${service.media.url}/${randomUUID()}.mp3`;
  const { pathname } = new URL(url);
  const jobId = await halfStored({ url, deleteUrl: url });
  await expect.poll(() => service.media.stored.has(pathname)).toBe(true);
  service.media.on(`DELETE ${pathname}`, (_, response) => void response.writeHead(204).end());
  await cancel(jobId);
  expect(service.media.count(`DELETE ${pathname}`)).toBe(0);
});

test.each([
  ['keeps', 'NoSuchUpload', 0],
  ['keeps', 'InvalidBlockList', 0],
  ['keeps', 'ExpiredToken', 0],
  ['removes', 'AccessDenied', 1],
])('%s a stored file if the store refuses another with %s', async (_what, storeCode, removals) => {
  const url = `${service.media.url}/${randomUUID()}.mp3`;
  const { pathname } = new URL(url);
  const removed = `DELETE ${pathname}`;
  const jobId = await halfStored({ url, deleteUrl: url });
  await expect.poll(() => service.media.stored.has(pathname)).toBe(true);
  service.media.on(removed, (_, response) => void response.writeHead(204).end());
  await fail(jobId, storeCode);
  expect(service.media.count(removed)).toBe(removals);
});

test('keeps a stored file if the store refused earlier URLs of another with ExpiredToken', async () => {
  const url = `${service.media.url}/${randomUUID()}.mp3`;
  const { pathname } = new URL(url);
  const jobId = await halfStored({ url, deleteUrl: url });
  await expect.poll(() => service.media.stored.has(pathname)).toBe(true);
  const completion = `POST /${randomUUID()}.wav`;
  const completeUrl = service.media.on(completion, (request, response) => {
    const page = '<Error><Code>ExpiredToken</Code></Error>';
    request.resume().once('end', () => response.writeHead(403).end(page));
  });
  await give(jobId, { output: 1, ...service.partStore(3).target, completeUrl });
  await expect.poll(() => service.media.count(completion)).toBe(1);
  await service.untilWanted(jobId);
  service.media.on(`DELETE ${pathname}`, (_, response) => void response.writeHead(204).end());
  await fail(jobId);
  expect(service.media.count(`DELETE ${pathname}`)).toBe(0);
});
