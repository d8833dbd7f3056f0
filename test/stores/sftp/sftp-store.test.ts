import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { parseRelayedUrl } from '../../../contract/relayed-url.ts';
import { Logins } from '../../../stores/logins/logins.ts';
import { readParts } from '../../../stores/sftp/sftp-parts.ts';
import { openSftpSession } from '../../../stores/sftp/sftp-session.ts';
import { openSftpStore } from '../../../stores/sftp/sftp-store.ts';
import type { RelayedStore } from '../../../stores/store.ts';
import { allowing } from '../../support/relay.ts';
import { startSftp } from '../../support/sftp.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

let store: RelayedStore;
const server = await stopAfterAll(startSftp());
const loginsFile = `${server.loginsFile}.own`;
beforeEach(() => {
  store = openSftpStore(new Logins(loginsFile), allowing('127.0.0.1'));
});

const signal = (): AbortSignal => AbortSignal.timeout(20_000);
const login = async (changes: object): Promise<void> => {
  const own = { user: 'media', hostKeys: [server.fingerprint], ...changes };
  await writeFile(loginsFile, JSON.stringify({ [server.server]: own }));
};
const check = async (): Promise<void> => await store.check(`${server.root}/in.wav`, signal());

test('refuses an unknown host key, and names its fingerprint', async () => {
  await login({ password: server.password, hostKeys: [] });
  const sentence = `The host key of ${server.server} is not known: its fingerprint is ${server.fingerprint}. If the server's operator confirms it, add it to hostKeys in STORE_LOGINS_FILE`;
  await expect(check()).rejects.toMatchObject({ name: 'LoginFailed', message: sentence });
  await login({ password: server.password, hostKeys: [`SHA256:${'A'.repeat(43)}`] });
  await expect(check()).rejects.toThrow(server.fingerprint);
  expect(server.logins()).toBe(0);
});

test('names neither password nor key in the error of a refused login', async () => {
  await login({ password: 'wrong-pass-phrase' });
  const message = `${server.server} refuses the login of STORE_LOGINS_FILE`;
  await expect(check()).rejects.toMatchObject({ name: 'LoginFailed', message });
  await writeFile(`${server.privateKeyFile}.bad`, 'no-key-at-all');
  await login({ privateKeyFile: `${server.privateKeyFile}.bad` });
  await expect(check()).rejects.toThrow(
    /^The privateKeyFile of sftp:\S+ in STORE_LOGINS_FILE is not a private key, or needs/,
  );
});

test('refuses a pipe in the place of a private key, instead of waiting for it', async () => {
  const pipe = `${server.privateKeyFile}.pipe`;
  await promisify(execFile)('mkfifo', [pipe]);
  await login({ privateKeyFile: pipe });
  await expect(check()).rejects.toThrow(/^The privateKeyFile of sftp:\S+ in STORE_LOGINS_FILE cannot be read$/);
});

test('logs in with a changed login, without a restart', async () => {
  await login({ password: 'wrong-pass-phrase' });
  await expect(check()).rejects.toThrow(/refuses the login/);
  await login({ privateKeyFile: server.privateKeyFile });
  await check();
});

test('shares one login among files that are transferred at a time', async () => {
  await login({ password: server.password });
  const before = server.logins();
  const names = Array.from({ length: 20 }, (_, index) => `${server.root}/package/segment-${index}.m4s`);
  const content = (name: string) => ({ size: name.length, parts: [Buffer.from(name)], contentType: undefined });
  await Promise.all(names.map(async (name) => await store.write(name, content(name), signal())));
  expect(await readFile(join(server.folder, 'package/segment-19.m4s'), 'utf8')).toBe(names[19]);
  expect(server.logins() - before).toBe(1);
});

test('writes each piece of a file in one packet, whatever the size of the pieces that it receives', async () => {
  await login({ password: server.password });
  const before = server.packets();
  const parts = Array.from({ length: 64 }, () => Buffer.alloc(16 * 1024));
  await store.write(`${server.root}/zeros.wav`, { size: 1024 ** 2, parts, contentType: undefined }, signal());
  expect((await readFile(join(server.folder, 'zeros.wav'))).length).toBe(1024 ** 2);
  // 33 pieces, and a few requests that open, close and rename the file.
  expect(server.packets() - before).toBeLessThan(42);
});

test('waits for at most 64 answers, however many files are read at a time', async () => {
  await writeFile(join(server.folder, 'long.wav'), Buffer.alloc(8_000_000));
  const place = parseRelayedUrl(`${server.root}/long.wav`);
  if (place === undefined) throw new Error('not the URL of a file');
  const own = { user: 'media', password: server.password, hostKeys: [server.fingerprint] };
  const session = await openSftpSession(place, own, allowing('127.0.0.1'));
  const handle = await session.ask<Buffer>(signal(), (sftp, done) => sftp.open(place.path, 'r', done));
  server.signal('SIGSTOP');
  const firsts = [1, 2, 3, 4].map(async () => await readParts(session, handle, 0, 8_000_000, signal()).next());
  await setImmediate();
  const requests = await session.ask<object>(signal(), (sftp, done) => {
    done(undefined, Reflect.get(sftp, '_requests') as object);
  });
  expect(Object.keys(requests)).toHaveLength(64);
  server.signal('SIGCONT');
  expect((await Promise.all(firsts)).map(({ value }) => value?.length)).toEqual(firsts.map(() => 32_768));
  session.close();
});

test('serves a reader that begins later as well as an earlier one', async () => {
  await writeFile(join(server.folder, 'long.wav'), Buffer.alloc(16_000_000));
  await login({ password: server.password });
  const url = `${server.root}/long.wav`;
  const read = { earlier: 0, later: 0 };
  const readAll = async (reader: keyof typeof read): Promise<void> => {
    const { content } = await store.read(url, signal());
    for await (const part of content) {
      read[reader] += part.length;
      // The later reader begins once the earlier one has all requests that a login may have.
      later ??= readAll('later');
    }
  };
  let later: Promise<void> | undefined;
  await readAll('earlier');
  const ofLater = read.later;
  await later;
  expect(read).toEqual({ earlier: 16_000_000, later: 16_000_000 });
  // Without a share of its own, the later reader would have about 3 %.
  expect(ofLater).toBeGreaterThan(2_000_000);
});

test('keeps the old file and nothing else if the connection is reset in the middle of an upload', async () => {
  await login({ password: server.password });
  const url = `${server.root}/talk.mp3`;
  await store.write(url, { size: 3, parts: [Buffer.from('old')], contentType: undefined }, signal());
  async function* breaking(): AsyncGenerator<Buffer> {
    yield randomBytes(100_000);
    await expect
      .poll(async () => (await readdir(server.folder)).some((name) => name.startsWith('.holdfast-')))
      .toBe(true);
    server.reset();
    yield randomBytes(100_000);
  }
  const broken = store.write(url, { size: 200_000, parts: breaking(), contentType: undefined }, signal());
  await expect(broken).rejects.toMatchObject({ name: 'StorageError', passing: true });
  expect(await readFile(join(server.folder, 'talk.mp3'), 'utf8')).toBe('old');
  expect((await readdir(server.folder)).filter((name) => name.startsWith('.holdfast-'))).toEqual([]);
  // The next upload logs in again.
  await store.write(url, { size: 3, parts: [Buffer.from('new')], contentType: undefined }, signal());
  expect(await readFile(join(server.folder, 'talk.mp3'), 'utf8')).toBe('new');
});

test('replaces a file at a server without posix-rename', async () => {
  const plain = await startSftp({ without: 'posix-rename' });
  const own = openSftpStore(new Logins(plain.loginsFile), allowing('127.0.0.1'));
  for (const text of ['old', 'new']) {
    const content = { size: 3, parts: [Buffer.from(text)], contentType: undefined };
    await own.write(`${plain.root}/talk.mp3`, content, signal());
    expect(await readFile(join(plain.folder, 'talk.mp3'), 'utf8')).toBe(text);
  }
  expect(await readdir(plain.folder)).toEqual(['talk.mp3']);
  await plain.stop();
});

test('fails a read whose connection is reset, so that the container resumes', async () => {
  await login({ password: server.password });
  await writeFile(join(server.folder, 'long.wav'), randomBytes(8_000_000));
  const { content } = await store.read(`${server.root}/long.wav`, signal());
  const reading = async (): Promise<void> => {
    for await (const _ of content) server.reset();
  };
  await expect(reading()).rejects.toMatchObject({ name: 'StorageError', passing: true });
});

test('logs in again after the sftp-server of a connection has ended alone', async () => {
  await login({ password: server.password });
  await writeFile(join(server.folder, 'long.wav'), randomBytes(8_000_000));
  const { content } = await store.read(`${server.root}/long.wav`, signal());
  const reading = async (): Promise<void> => {
    for await (const _ of content) server.signal('SIGKILL');
  };
  await expect(reading()).rejects.toMatchObject({ name: 'StorageError', passing: true });
  const before = server.logins();
  const next = await store.read(`${server.root}/long.wav`, signal());
  let bytes = 0;
  for await (const part of next.content) bytes += part.length;
  expect([bytes, server.logins() - before]).toEqual([8_000_000, 1]);
});

test('ends a session whose server keeps the connection and answers nothing', async () => {
  const place = parseRelayedUrl(`${server.root}/in.wav`);
  if (place === undefined) throw new Error('not the URL of a file');
  const own = { user: 'media', password: server.password, hostKeys: [server.fingerprint] };
  const session = await openSftpSession(place, own, allowing('127.0.0.1'), { openMs: 20_000, silenceMs: 300 });
  server.signal('SIGSTOP');
  const asked = session.ask<Buffer>(signal(), (sftp, done) => sftp.open(place.path, 'r', done));
  await expect(asked).rejects.toMatchObject({ name: 'StorageError', passing: true });
  expect(session.isOpen).toBe(false);
});

test('gives up a server that accepts the login and never opens SFTP', async () => {
  const stuck = await startSftp({ isStuck: true });
  const place = parseRelayedUrl(`${stuck.root}/in.wav`);
  if (place === undefined) throw new Error('not the URL of a file');
  const own = { user: 'media', password: stuck.password, hostKeys: [stuck.fingerprint] };
  const opening = openSftpSession(place, own, allowing('127.0.0.1'), { openMs: 1_000, silenceMs: 60_000 });
  const message = `${stuck.server} did not finish the login: it is stuck`;
  await expect(opening).rejects.toMatchObject({ name: 'StorageError', passing: true, message });
  await stuck.stop();
});

test('reports a folder in the place of a file', async () => {
  await login({ password: server.password });
  await expect(store.read(server.root, signal())).rejects.toMatchObject({ name: 'UnusableFile' });
});

test('names the setting for a server without a login', async () => {
  await login({ password: server.password });
  const other = 'sftp://other.example.com/in.wav';
  await expect(store.requireLogin(other)).rejects.toThrow(
    'There is no login for sftp://other.example.com: add it to STORE_LOGINS_FILE of the worker',
  );
  const unset = openSftpStore(new Logins(undefined), allowing(''));
  await expect(unset.requireLogin(other)).rejects.toThrow(
    'There is no login for sftp://other.example.com: set STORE_LOGINS_FILE in the worker',
  );
});
