import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RelayMethod, type RelayUpload, RelayUrls } from '../../stores/relay/relay-urls.ts';
import { sha256Of } from '../container/transfer/ranged-source.ts';
import { FaultyLine } from '../fixtures/faulty-line.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { RunHistory } from '../support/history.ts';
import { speechWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import { startSftp } from '../support/sftp.ts';
import { patient, TestStack } from '../support/stack.ts';
import { startWebdav } from '../support/webdav.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const key = 'k'.repeat(32);

const [sftp, webdav, media, relayPort] = await Promise.all([
  stopAfterAll(startSftp()),
  stopAfterAll(startWebdav()),
  stopAfterAll(MediaServer.start()),
  freePort(),
]);
/** The line from the containers to the relay. */
const line = await stopAfterAll(FaultyLine.start(`http://127.0.0.1:${relayPort}`));
const logins = await Promise.all([sftp, webdav].map(async ({ loginsFile }) => await readFile(loginsFile, 'utf8')));
const loginsFile = `${sftp.loginsFile}.both`;
const both = logins.map((text) => JSON.parse(text) as object);
await writeFile(loginsFile, JSON.stringify(Object.assign({}, ...both)));
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: patient,
    workerEnvironment: {
      STORE_LOGINS_FILE: loginsFile,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
      RELAY_URL: line.url,
      RELAY_PORT: String(relayPort),
      RELAY_KEY: key,
      WORKER_DRAIN_SECONDS: '60',
    },
  }),
);
await copyFile(speechWav, join(sftp.folder, 'talk #1, 100%.wav'));

test('encodes from SFTP to WebDAV, and the URLs of the relay end with the run', async () => {
  const uploadUrl = `${webdav.root}/out/talk.flac`;
  const sourceUrl = `${sftp.root}/talk #1, 100%.wav`;
  const handle = await stack.run('encode', { sourceUrl, outputs: [{ format: 'flac', uploadUrl }] });
  const { outputs } = (await handle.result()) as { outputs: { sha256: string }[] };
  const stored = async () => sha256Of(await readFile(join(webdav.folder, 'out/talk.flac')));
  expect(await stored()).toBe(outputs[0]?.sha256);
  const history = (await RunHistory.of(handle)).text();
  expect(history.includes(sourceUrl)).toBe(true);
  expect(history.match(/X-Holdfast-Signature|pass-phrase/)).toBeNull();

  const urlsOf = (method: string): string[] =>
    line.requests.flatMap((asked) =>
      asked.startsWith(`${method} `) ? [line.url + asked.slice(method.length + 1)] : [],
    );
  const [read = '', written = ''] = [...urlsOf('GET').slice(0, 1), ...urlsOf('PUT').slice(0, 1)];
  const refusal = '<Error><Code>ExpiredToken</Code></Error>';
  await expect.poll(async () => await (await fetch(read)).text()).toBe(refusal);
  expect(await (await fetch(written, { method: 'PUT', body: 'other' })).text()).toBe(refusal);
  expect(await stored()).toBe(outputs[0]?.sha256);
});

/** A run that waits for its source, and another worker whose relay serves it. */
async function runWithRelay() {
  const sourceUrl = media.on('GET /never.wav', () => undefined);
  const uploadUrl = `${sftp.root}/never.flac`;
  const handle = await stack.run('encode', { sourceUrl, outputs: [{ format: 'flac', uploadUrl }] });
  await stack.worker.until('request for the source', () => media.count('GET /never.wav') > 0);
  const run = { workflowId: handle.workflowId, runId: (await handle.describe()).runId };
  const port = await freePort();
  const startRelay = async () => await stack.addWorker({ WORKER_ROLES: 'webhooks', RELAY_PORT: String(port) });
  const urls = new RelayUrls({ address: `http://127.0.0.1:${port}`, key });
  const signed = (path: string, method: RelayMethod, upload?: RelayUpload): string =>
    urls.sign(`${sftp.root}/${path}`, method, run, 600, upload).url;
  const beginPut = (url: string, bytes: number): Socket => {
    const { pathname, search } = new URL(url);
    const socket = connect(port, '127.0.0.1');
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`);
    return socket;
  };
  return { handle, signed, startRelay, beginPut };
}

describe('with the relay of another worker', () => {
  let held: Awaited<ReturnType<typeof runWithRelay>>;
  beforeAll(async () => {
    held = await runWithRelay();
  });
  afterAll(async () => void (await held?.handle.terminate()));

  test('a relay serves the URLs of another worker, and finishes its transfers after SIGTERM', async () => {
    const { signed, startRelay, beginPut } = held;
    const other = await startRelay();
    const socket = beginPut(signed('last.mp3', 'put'), 200_000);
    socket.write(Buffer.alloc(100_000));
    const isBegun = async () => (await readdir(sftp.folder)).some((name) => name.startsWith('.holdfast-'));
    await expect.poll(isBegun).toBe(true);

    process.kill(other.pid, 'SIGTERM');
    const read = signed('talk #1, 100%.wav', 'get');
    const accepts = async () =>
      await fetch(read).then(
        async (answer) => (await answer.arrayBuffer()).byteLength > 0,
        () => false,
      );
    await expect.poll(accepts).toBe(false);
    expect(other.exit).toBeUndefined();
    socket.write(Buffer.alloc(100_000));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await other.exited).toEqual({ code: 0, signal: null });
    expect((await readFile(join(sftp.folder, 'last.mp3'))).length).toBe(200_000);
  });

  test('an upload in parts outlives a killed relay, and only its unfinished part is sent again', async () => {
    const { signed, startRelay, beginPut } = held;
    const [id, content] = [randomUUID(), randomBytes(300_000)];
    const at = (method: RelayMethod, bytes: number): string => signed('parted.mp4', method, { id, bytes });
    const sendPart = async (start: number): Promise<number> =>
      (await fetch(at('part', start), { method: 'PUT', body: content.subarray(start, start + 100_000) })).status;
    const draftPath = join(sftp.folder, `.holdfast-${id}`);
    // As a worker that begins the upload.
    await writeFile(draftPath, '');
    const killed = await startRelay();
    expect(await Promise.all([sendPart(0), sendPart(200_000)])).toEqual([200, 200]);
    const socket = beginPut(at('part', 100_000), 100_000).on('error', () => undefined);
    const draft = async () => await readFile(draftPath);
    expect((await draft())[100_000]).toBe(0);
    socket.write(Buffer.alloc(50_000, 1));
    await expect.poll(async () => (await draft())[100_000]).toBe(1);
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;

    await startRelay();
    expect(await sendPart(100_000)).toBe(200);
    expect((await fetch(at('complete', content.length), { method: 'POST', body: '' })).status).toBe(200);
    expect((await readFile(join(sftp.folder, 'parted.mp4'))).equals(content)).toBe(true);
  });
});
