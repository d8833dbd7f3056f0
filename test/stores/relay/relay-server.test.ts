import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRelay } from '../../../stores/relay/relay-server.ts';
import { StorageError } from '../../../stores/store-error.ts';
import type { RelayedStore } from '../../../stores/store.ts';
import { freePort } from '../../support/ports.ts';
import { openRelay, type TestRelay } from '../../support/relay.ts';
import { startSftp } from '../../support/sftp.ts';
import { type LoginServer, startWebdav } from '../../support/webdav.ts';

const content = randomBytes(300_000);

describe.each<[string, () => Promise<LoginServer>]>([
  ['WebDAV', startWebdav],
  ['SFTP', startSftp],
])('the relay before %s', (_, start) => {
  let store: LoginServer;
  let relay: TestRelay;
  beforeAll(async () => {
    store = await start();
    relay = await openRelay(store.loginsFile);
    await writeFile(join(store.folder, 'in.wav'), content);
  });
  afterAll(async () => {
    await relay?.stop();
    await store?.stop();
  });

  const signed = (path: string, method: 'get' | 'put' | 'delete', seconds = 60) =>
    relay.sign(`${store.root}/${path}`, method, seconds);
  const put = (path: string, body: Uint8Array<ArrayBuffer>, headers = {}) =>
    fetch(signed(path, 'put'), { method: 'PUT', body, headers });
  const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('base64');

  test('serves a whole file, and a range of the same version', async () => {
    const whole = await fetch(signed('in.wav', 'get'));
    expect(whole.status).toBe(200);
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    const part = await fetch(signed('in.wav', 'get'), { headers: { range: 'bytes=1000-1999', 'if-range': etag } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000-1999/300000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(1000, 2000))).toBe(true);
    const end = await fetch(signed('in.wav', 'get'), { headers: { range: 'bytes=299990-' } });
    expect(Buffer.from(await end.arrayBuffer()).equals(content.subarray(299_990))).toBe(true);
  });

  test('serves the whole file if a range is for another version', async () => {
    const headers = { range: 'bytes=1000-1999', 'if-range': '"another"' };
    const whole = await fetch(signed('in.wav', 'get'), { headers });
    expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, content.length]);
  });

  test('answers 416 for a range after the end, and 404 for a missing file', async () => {
    const behind = await fetch(signed('in.wav', 'get'), { headers: { range: 'bytes=300000-' } });
    expect(behind.status).toBe(416);
    await behind.body?.cancel();
    expect((await fetch(signed('none.wav', 'get'))).status).toBe(404);
  });

  test('stores a whole file in new folders, and replaces it', async () => {
    const path = 'new/folders/segment #1.m4s';
    for (const bytes of [Buffer.from('first'), randomBytes(200_000), Buffer.alloc(0)]) {
      const answer = await put(path, bytes, { 'content-md5': md5(bytes) });
      expect(answer.status, relay.warnings.join('\n')).toBe(200);
      expect((await readFile(join(store.folder, path))).equals(bytes)).toBe(true);
    }
    expect((await fetch(signed(path, 'get'))).status).toBe(200);
    expect((await fetch(signed(path, 'delete'), { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(signed(path, 'delete'), { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(signed(path, 'get'))).status).toBe(404);
  });

  test('keeps nothing of an upload whose bytes do not match its Content-MD5', async () => {
    const answer = await put('changed.mp3', content, { 'content-md5': md5(Buffer.from('other')) });
    expect(answer.status).toBe(503);
    expect((await readdir(store.folder)).filter((name) => name !== 'in.wav' && name.includes('.'))).toEqual([]);
  });

  test('refuses a PUT with Content-Range, which would pass for the whole file', async () => {
    const before = Buffer.from('the whole file');
    expect((await put('ranged.mp3', before)).status).toBe(200);
    const answer = await put('ranged.mp3', Buffer.from('part'), { 'content-range': 'bytes 4-7/14' });
    expect([answer.status, await answer.text()]).toEqual([400, '<Error><Code>InvalidRequest</Code></Error>']);
    expect((await readFile(join(store.folder, 'ranged.mp3'))).equals(before)).toBe(true);
  });

  test('answers and logs why a store refuses the rest of an upload', async () => {
    const real = await relay.stores.at(store.root);
    if (real?.kind !== 'relayed') throw new Error('not a relayed store');
    const full: RelayedStore = {
      ...real,
      async write(_url, { parts }) {
        for await (const _ of parts) throw new StorageError('the disk is full', false);
      },
    };
    const [port, warnings] = [await freePort(), new Array<string>()];
    const server = await startRelay(relay.address, port, {
      stores: { at: async () => full },
      urls: relay.urls,
      isOpen: async () => true,
      warn: (facts) => void warnings.push(JSON.stringify(facts)),
    });
    const { pathname, search } = new URL(signed('full.mp3', 'put'));
    const socket = connect(port, '127.0.0.1');
    // The rest of the body never comes.
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n`);
    socket.write(content.subarray(0, 1000));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 403 [^]*<Code>AccessDenied<\/Code>/);
    expect(warnings.join()).toContain('the disk is full');
    await server.stop(0);
  });

  test('waits for a store that needs longer for the end of a file than a connection may be idle', async () => {
    const real = await relay.stores.at(store.root);
    if (real?.kind !== 'relayed') throw new Error('not a relayed store');
    const slow: RelayedStore = {
      ...real,
      async write(_url, { parts }) {
        for await (const _ of parts);
        await delay(1500);
      },
    };
    const port = await freePort();
    const server = await startRelay(relay.address, port, {
      ...{ stores: { at: async () => slow }, urls: relay.urls, isOpen: async () => true, warn: () => {} },
      idleTimeoutMs: 500,
    });
    const { pathname, search } = new URL(signed('slow.mp3', 'put'));
    const url = `http://127.0.0.1:${port}${pathname}${search}`;
    expect((await fetch(url, { method: 'PUT', body: content })).status).toBe(200);
    await server.stop(0);
  });

  test('keeps nothing of an upload whose container disconnects', async () => {
    const { other, socket, names } = await beginUpload('broken.mp3');
    socket.destroy();
    await once(socket, 'close');
    await expect.poll(names).toEqual([]);
    expect(await readdir(store.folder)).not.toContain('broken.mp3');
    await other.stop();
  });

  test.each([
    ['another method', (url: string) => fetch(url, { method: 'PUT', body: 'x' })],
    ['another file', (url: string) => fetch(url.replace('in.wav', 'on.wav'))],
    ['another host', (url: string) => fetch(url.replace(/(?<=\/(?:sftp|webdav\+http)\/127\.0\.0\.)1/, '2'))],
    ['another run', (url: string) => fetch(url.replace('Run=run-1', 'Run=run-2'))],
    ['another signature', (url: string) => fetch(`${url}x`)],
    ['a later expiry', (url: string) => fetch(url.replace(/Expires=\d/, 'Expires=9'))],
    ['no signature', (url: string) => fetch(url.replace(/\?.*/, ''))],
  ])('refuses a URL with %s', async (_what, ask) => {
    const answer = await ask(signed('in.wav', 'get'));
    expect([answer.status, await answer.text()]).toEqual([403, '<Error><Code>InvalidToken</Code></Error>']);
  });

  test('serves an expired URL while its run is open', async () => {
    const answer = await fetch(signed('in.wav', 'get', 0));
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  });

  test('serves URLs until they expire while Temporal does not answer', async () => {
    const other = await openRelay(store.loginsFile);
    other.loseTemporal();
    const ask = async (seconds: number) => await fetch(other.sign(`${store.root}/in.wav`, 'get', seconds));
    const [fresh, expired] = [await ask(60), await ask(0)];
    expect(Buffer.from(await fresh.arrayBuffer()).equals(content)).toBe(true);
    expect([expired.status, await expired.text()]).toEqual([403, '<Error><Code>ExpiredToken</Code></Error>']);
    await other.stop();
  });

  test('refuses the URL of a run that has ended', async () => {
    const other = await openRelay(store.loginsFile);
    const url = other.sign(`${store.root}/in.wav`, 'get');
    other.endRun();
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([403, '<Error><Code>ExpiredToken</Code></Error>']);
    await other.stop();
  });

  /** Begins an upload of 300,000 bytes at another relay. */
  const beginUpload = async (path: string) => {
    const other = await openRelay(store.loginsFile);
    const url = new URL(other.sign(`${store.root}/${path}`, 'put'));
    const socket = connect(Number(url.port), url.hostname);
    socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n`);
    socket.write(content.subarray(0, 150_000));
    const names = async () => (await readdir(store.folder)).filter((name) => name.startsWith('.holdfast-'));
    await expect.poll(names).toHaveLength(1);
    return { other, socket, names };
  };

  test('finishes a transfer when it stops, and accepts no other', async () => {
    const { other, socket } = await beginUpload('last.mp3');
    const stopped = other.stop(60_000);
    await expect(fetch(other.sign(`${store.root}/in.wav`, 'get'))).rejects.toThrow('fetch failed');
    socket.write(content.subarray(150_000));
    // Without the end of the kept connection, its text would not end.
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    await stopped;
    expect((await readFile(join(store.folder, 'last.mp3'))).equals(content)).toBe(true);
  });

  test('cuts a transfer that outlasts its stop, and keeps nothing of it', async () => {
    const { other, socket, names } = await beginUpload('cut.mp3');
    socket.on('error', () => undefined);
    await other.stop(100);
    await expect.poll(names).toEqual([]);
    expect(await readdir(store.folder)).not.toContain('cut.mp3');
  });

  test('logs a failure with its reason, without a secret', async () => {
    const broken = `${store.loginsFile}.wrong`;
    const logins = await readFile(store.loginsFile, 'utf8');
    await writeFile(broken, logins.replaceAll(store.password, 'wrong-pass-phrase'));
    const other = await openRelay(broken);
    const url = `${store.root}/in.wav`;
    const reason = /refuses the login/;
    await expect(other.stores.at(url).then((of) => check(of, url))).rejects.toThrow(reason);
    const answer = await fetch(other.sign(url, 'get'));
    expect([answer.status, await answer.text()]).toEqual([403, '<Error><Code>InvalidAccessKeyId</Code></Error>']);
    expect(other.warnings.join()).toMatch(reason);
    expect(other.warnings.join()).not.toContain('pass-phrase');
    await other.stop();
  });

  test('refuses an internal address that the worker does not allow', async () => {
    const strict = await openRelay(store.loginsFile, { allowed: '' });
    const url = `${store.root}/in.wav`;
    await expect(strict.stores.at(url).then((of) => check(of, url))).rejects.toThrow(
      /127\.0\.0\.1 is a loopback, private or otherwise internal address/,
    );
    await strict.stop();
  });
});

async function check(store: Awaited<ReturnType<TestRelay['stores']['at']>>, url: string): Promise<void> {
  if (store?.kind !== 'relayed') throw new Error('not a relayed store');
  await store.check(url, AbortSignal.timeout(10_000));
}
