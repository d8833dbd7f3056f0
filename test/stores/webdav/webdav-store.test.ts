import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { Logins } from '../../../stores/logins/logins.ts';
import { openWebdavStore } from '../../../stores/webdav/webdav-store.ts';
import { allowing } from '../../support/relay.ts';
import { badCertificates, startTlsServer, trust } from '../../support/tls-server.ts';
import { useFolder } from '../../support/folder.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

// Answers that no well-behaved server gives. `conformance/` tests a real server.
/** Methods of the requests so far. */
let asked: string[];
let answer: RequestListener;
const home = useFolder();
const server = await stopAfterAll(
  LoopbackServer.start((request, response) => {
    asked.push(request.method ?? '');
    answer(request, response);
  }),
);
const root = `webdav+${server.url}`;
const loginsFile = join(home, 'logins.json');
await writeFile(loginsFile, JSON.stringify({ [root]: { user: 'media', password: 'webdav-pass-phrase' } }));
const store = openWebdavStore(new Logins(loginsFile), allowing('127.0.0.1'));
const url = `${root}/talk.mp3`;
beforeEach(() => {
  asked = [];
});

const signal = (): AbortSignal => AbortSignal.timeout(20_000);

test('refuses a file without a length, and the process lives on', async () => {
  answer = (_, response) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end('short');
  // An error that nobody hears would end the process while the second answer is awaited.
  for (const _ of ['first', 'second']) {
    await expect(store.read(url, signal())).rejects.toMatchObject({
      name: 'StorageError',
      message: expect.stringMatching(/^webdav\+http:\S+ does not report the length of the file$/),
    });
  }
});

test.each([
  [
    'a range with more bytes than it reports',
    { 'content-range': 'bytes 0-3/9', 'content-length': '9' },
    206,
    /of another length/,
  ],
  [
    'a range without a length',
    { 'content-range': 'bytes 0-8/9', 'transfer-encoding': 'chunked' },
    206,
    /of another length/,
  ],
  ['a compressed file', { 'content-encoding': 'gzip', 'content-length': '9' }, 200, /compresses the file/],
])('refuses %s, whose bytes a container would misread', async (_what, headers, status, sentence) => {
  answer = (_, response) => response.writeHead(status, headers).end('123456789');
  const range = { start: 0, end: undefined, version: undefined };
  await expect(store.read(url, signal(), range)).rejects.toMatchObject({ message: expect.stringMatching(sentence) });
});

test('reads a file whose content-encoding names no compression', async () => {
  const headers = { 'content-encoding': 'aws-chunked', 'content-length': '9' };
  answer = (_, response) => response.writeHead(200, headers).end('123456789');
  const { content } = await store.read(url, signal());
  expect((await buffer(content)).toString()).toBe('123456789');
});

test('stores nothing if the server answers success before it has every byte', async () => {
  answer = (_, response) => response.writeHead(201).end();
  let release = (): void => {};
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* parts(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(1000);
    await isOver;
    yield Buffer.alloc(1000);
  }
  const stored = store.write(url, { size: 2000, parts: parts(), contentType: undefined }, signal());
  await expect(stored).rejects.toMatchObject({
    name: 'StorageError',
    message: expect.stringMatching(/answered before it had every byte$/),
    passing: true,
  });
  expect(asked).toEqual(['PUT', 'DELETE']);
  release();
});

test('waits longer for the answers to PUT and MOVE than for others', async () => {
  const timeouts = { usualMs: 300, storingMs: 10_000 };
  const patient = openWebdavStore(new Logins(loginsFile), allowing('127.0.0.1'), timeouts);
  answer = (request, response) => {
    request.resume().once('end', () => setTimeout(() => response.writeHead(201).end(), 1500));
  };
  await patient.write(url, { size: 3, parts: [Buffer.from('new')], contentType: undefined }, signal());
  expect(asked).toEqual(['PUT', 'MOVE']);
  await expect(patient.check(url, signal())).rejects.toMatchObject({
    message: expect.stringMatching(/cannot be reached \(UND_ERR_HEADERS_TIMEOUT\)$/),
  });
});

test('removes a whole upload that fails its check only after the server has stored it', async () => {
  const answered: string[] = [];
  answer = ({ method = '' }, response) => {
    const end = (): void => {
      answered.push(method);
      response.writeHead(201).end();
    };
    if (method === 'PUT') setTimeout(end, 100);
    else end();
  };
  async function* parts(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(2000);
    throw new Error('no match');
  }
  const stored = store.write(url, { size: 2000, parts: parts(), contentType: undefined }, signal());
  await expect(stored).rejects.toThrow('no match');
  expect(answered).toEqual(['PUT', 'DELETE']);
});

test('removes again what the server keeps of an upload that is cut', async () => {
  const arrived = Promise.withResolvers<void>();
  answer = ({ method }, response) => {
    if (method === 'PUT') arrived.resolve();
    else response.writeHead(204).end();
  };
  async function* parts(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(1000);
    await arrived.promise;
    throw new Error('cut');
  }
  const stored = store.write(url, { size: 2000, parts: parts(), contentType: undefined }, signal());
  await expect(stored).rejects.toMatchObject({ name: 'StorageError' });
  // The server may end the cut PUT after the first DELETE.
  await expect.poll(() => asked).toEqual(['PUT', 'DELETE', 'DELETE']);
});

test('takes a list of failures as the answer to MOVE for no success', async () => {
  answer = (request, response) => {
    request.resume().once('end', () => response.writeHead(request.method === 'MOVE' ? 207 : 201).end());
  };
  const stored = store.write(url, { size: 3, parts: [Buffer.from('new')], contentType: undefined }, signal());
  await expect(stored).rejects.toMatchObject({ message: expect.stringMatching(/answered 207$/), passing: true });
  expect(asked).toEqual(['PUT', 'MOVE', 'DELETE']);
});

test('fails an upload for good if the server refuses the login midway', async () => {
  answer = (request, response) => {
    request.resume().once('end', () => response.writeHead(request.method === 'MOVE' ? 401 : 201).end());
  };
  const stored = store.write(url, { size: 3, parts: [Buffer.from('new')], contentType: undefined }, signal());
  await expect(stored).rejects.toMatchObject({ name: 'LoginFailed', passing: false });
});

test.each(badCertificates)('sends no login to a server with a certificate %s', async (_what, certificate, reason) => {
  const seen: unknown[] = [];
  const tls = await startTlsServer(certificate, (request, response) => {
    seen.push(request.headers.authorization);
    response.end();
  });
  trust(tls);
  const root = tls.url.replace('https:', 'webdav+https:');
  const loginsFile = join(home, `${new URL(tls.url).port}.json`);
  await writeFile(loginsFile, JSON.stringify({ [root]: { token: 'a-token' } }));
  const other = openWebdavStore(new Logins(loginsFile), allowing('localhost'));
  await expect(other.check(`${root}/talk.mp3`, signal())).rejects.toMatchObject({
    name: 'LoginFailed',
    message: expect.stringMatching(reason),
  });
  expect(seen).toEqual([]);
  await tls.stop();
});
