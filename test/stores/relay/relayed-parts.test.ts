import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RelayMethod } from '../../../stores/relay/relay-urls.ts';
import { openRelay } from '../../support/relay.ts';
import { startSftp } from '../../support/sftp.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { startWebdav } from '../../support/webdav.ts';

// Uploads in parts through the relay to a server of SFTP. `conformance/` tests them with the container's own code.
const server = await stopAfterAll(startSftp());
const relay = await openRelay(server.loginsFile);
afterAll(async () => await relay.stop());

const content = randomBytes(300_000);
const [partBytes, name] = [100_000, 'talk.mp3'];
let id: string;
beforeEach(async () => {
  id = randomUUID();
  await writeFile(join(server.folder, name), 'the old file');
});

const signed = (method: RelayMethod, bytes: number, uploadId = id, path = name): string =>
  relay.sign(`${server.root}/${path}`, method, 60, { id: uploadId, bytes });
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('base64');
const partAt = (start: number): Buffer<ArrayBuffer> => content.subarray(start, start + partBytes);
const send = async (start: number, body = partAt(start)): Promise<Response> =>
  await fetch(signed('part', start), { method: 'PUT', body, headers: { 'content-md5': md5(partAt(start)) } });
const complete = async (size = content.length): Promise<[number, string]> => {
  const answer = await fetch(signed('complete', size), { method: 'POST', body: '<CompleteMultipartUpload/>' });
  return [answer.status, await answer.text()];
};
const begin = async (): Promise<void> => {
  const url = `${server.root}/${name}`;
  const store = await relay.stores.at(url);
  if (store?.kind !== 'relayed') throw new Error('The store is not relayed');
  await store.parts?.begin(url, id, AbortSignal.timeout(20_000));
};
const abort = async (): Promise<number> => (await fetch(signed('abort', 0), { method: 'DELETE' })).status;
const leftOver = async (): Promise<string[]> =>
  (await readdir(server.folder)).filter((each) => each.startsWith('.holdfast-'));
const stored = async (): Promise<Buffer> => await readFile(join(server.folder, name));

test('joins parts that arrive in any order, and again, to one file', async () => {
  await begin();
  for (const start of [200_000, 0, 100_000, 0]) {
    const answer = await send(start);
    expect([answer.status, answer.headers.get('etag')], relay.warnings.join('\n')).toEqual([200, `"${start}"`]);
  }
  expect((await stored()).toString()).toBe('the old file');
  expect(await complete()).toEqual([200, '<CompleteMultipartUploadResult/>']);
  expect((await stored()).equals(content)).toBe(true);
  expect(await leftOver()).toEqual([]);
  // The code tells a container whose first answer was lost that the upload has ended.
  expect(await complete()).toEqual([404, '<Error><Code>NoSuchUpload</Code></Error>']);
  expect((await stored()).equals(content)).toBe(true);
});

test('repeats a part whose bytes do not match its Content-MD5', async () => {
  await begin();
  expect((await send(100_000)).status).toBe(200);
  expect((await send(0, randomBytes(partBytes))).status).toBe(503);
  expect((await send(0)).status).toBe(200);
  expect((await send(200_000)).status).toBe(200);
  expect((await complete())[0]).toBe(200);
  expect((await stored()).equals(content)).toBe(true);
});

test('keeps the old file while the size of the new one is not right', async () => {
  await begin();
  expect((await send(0)).status).toBe(200);
  expect((await complete())[0]).toBe(503);
  expect((await stored()).toString()).toBe('the old file');
  expect(await abort()).toBe(204);
  expect(await abort()).toBe(204);
  expect(await leftOver()).toEqual([]);
});

test('refuses the parts of an upload whose file was removed, because the first parts are lost', async () => {
  await begin();
  expect((await send(0)).status).toBe(200);
  await rm(join(server.folder, `.holdfast-${id}`));
  for (const start of [100_000, 200_000]) expect((await send(start)).status).toBe(404);
  expect(await complete()).toEqual([404, '<Error><Code>NoSuchUpload</Code></Error>']);
  expect((await stored()).toString()).toBe('the old file');
});

test('keeps the stored parts if a container disconnects in the middle of another part', async () => {
  await begin();
  expect((await send(0)).status).toBe(200);
  const { hostname, port, pathname, search } = new URL(signed('part', 100_000));
  const socket = connect(Number(port), hostname);
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n`);
  socket.write(partAt(100_000).subarray(0, 40_000));
  const [file = ''] = await leftOver();
  await expect.poll(async () => (await readFile(join(server.folder, file))).length).toBeGreaterThan(100_000);
  socket.destroy();
  await once(socket, 'close');
  for (const start of [200_000, 100_000]) expect((await send(start)).status).toBe(200);
  expect((await complete())[0]).toBe(200);
  expect((await stored()).equals(content)).toBe(true);
});

test('refuses a part with Content-Range, and one without a length', async () => {
  const headers = { 'content-range': 'bytes 0-99999/300000' };
  expect((await fetch(signed('part', 0), { method: 'PUT', body: partAt(0), headers })).status).toBe(400);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(partAt(0));
      controller.close();
    },
  });
  const chunked = { method: 'PUT', body, duplex: 'half' } as const;
  expect((await fetch(signed('part', 0), chunked)).status).toBe(411);
  expect(await leftOver()).toEqual([]);
});

test.each([
  ['another part', (url: string) => url.replace('%2F0&', '%2F100000&')],
  ['another upload', (url: string) => url.replace(id, randomUUID())],
  ['another file', (url: string) => url.replace(name, 'other.mp3')],
  ['the whole file', (url: string) => url.replace('Method=part', 'Method=put')],
])('refuses the URL of a part for %s', async (_what, change) => {
  const url = signed('part', 0);
  expect(change(url)).not.toBe(url);
  expect((await fetch(change(url), { method: 'PUT', body: partAt(0) })).status).toBe(403);
  expect(await leftOver()).toEqual([]);
});

test('a store that writes files only from their first byte refuses parts', async () => {
  const webdav = await startWebdav();
  const other = await openRelay(webdav.loginsFile);
  const url = other.sign(`${webdav.root}/${name}`, 'part', 60, { id, bytes: 0 });
  expect((await fetch(url, { method: 'PUT', body: partAt(0) })).status).toBe(403);
  expect(await readdir(webdav.folder)).toEqual([]);
  await other.stop();
  await webdav.stop();
});

test('a job may abort its upload after the end of its run, and send no further part', async () => {
  await begin();
  const other = await openRelay(server.loginsFile);
  const at = (method: RelayMethod) => other.sign(`${server.root}/${name}`, method, 60, { id, bytes: 0 });
  expect((await fetch(at('part'), { method: 'PUT', body: partAt(0) })).status).toBe(200);
  other.endRun(30_000);
  // The relay remembers for some seconds that the run was open.
  await expect.poll(async () => (await fetch(at('part'), { method: 'PUT', body: partAt(0) })).status).toBe(403);
  expect((await fetch(at('complete'), { method: 'POST', body: '' })).status).toBe(403);
  expect((await fetch(at('abort'), { method: 'DELETE' })).status).toBe(204);
  expect(await leftOver()).toEqual([]);
  await other.stop();
});
