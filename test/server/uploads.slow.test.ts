import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServerAnswer, TestServer } from '../support/server.ts';
import { startTemporal, type TemporalServer } from '../support/temporal.ts';
import type { Environment } from '../support/process.ts';
import { anna, bearer, bert, reader, writeTokens } from './access/token-holders.ts';
import { useFolder } from '../support/folder.ts';

// Without a worker, all runs stay queued.

const tus = { 'tus-resumable': '1.0.0' };

let temporal: TemporalServer;
const folder = useFolder();
let root: string;
let environment: Environment;
let server: TestServer;
let open: TestServer;

beforeAll(async () => {
  temporal = await startTemporal();
  root = join(folder, 'media');
  await mkdir(root);
  const file = await writeTokens(folder);
  environment = { TEMPORAL_ADDRESS: temporal.address, MEDIA_ROOT: root, UPLOAD_MAX_BYTES: '2000000' };
  server = await TestServer.start({ ...environment, SERVER_TOKENS_FILE: file });
  open = await TestServer.start(environment);
});

afterAll(async () => {
  await Promise.all([server.stop(), open.stop()]);
  await temporal.stop();
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const uploads = (): string => join(root, 'holdfast', 'uploads');

async function begin(
  on: TestServer,
  bytes: number,
  { name = 'talk.wav', type = 'audio/wav', token }: { name?: string; type?: string; token?: string | undefined } = {},
): Promise<ServerAnswer> {
  const metadata = `filename ${base64(name)},filetype ${base64(type)},owner ${base64('bert')}`;
  const headers = { ...tus, 'upload-length': String(bytes), 'upload-metadata': metadata };
  return await on.call('POST', '/api/uploads', { headers: { ...headers, ...(token !== undefined && bearer(token)) } });
}

async function send(
  on: TestServer,
  path: string,
  offset: number,
  bytes: Buffer,
  token?: string,
): Promise<ServerAnswer> {
  const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
  return await on.call('PATCH', path, {
    text: bytes,
    headers: { ...headers, ...(token !== undefined && bearer(token)) },
  });
}

const offsetOf = async (on: TestServer, path: string, token?: string): Promise<ServerAnswer> =>
  await on.call('HEAD', path, { headers: { ...tus, ...(token !== undefined && bearer(token)) } });

const idOf = ({ headers }: ServerAnswer): string =>
  decodeURIComponent(String(headers['location']).split('/').at(-1) ?? '');

/** Sends half of an announced body and closes the connection. */
async function sendAndCut(on: TestServer, path: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(on.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const head = [`PATCH ${path} HTTP/1.1`, `Host: ${hostname}:${port}`, 'Tus-Resumable: 1.0.0', 'Upload-Offset: 0'];
  const body = ['Content-Type: application/offset+octet-stream', `Content-Length: ${bytes.length * 2}`];
  socket.write(`${[...head, ...body].join('\r\n')}\r\n\r\n`);
  socket.write(bytes);
  await on.process.until('bytes on the disk', async () => {
    const names = await readdir(uploads());
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(uploads(), name))).size));
    return sizes.includes(bytes.length);
  });
  socket.destroy();
}

describe('uploads', () => {
  test('resumes an interrupted upload, even after a restart, and a run uses it', async () => {
    const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
    const begun = await begin(open, content.length, { name: 'Grüße & Co.wav' });
    expect(begun).toMatchObject({ status: 201 });
    const path = String(begun.headers['location']);
    await sendAndCut(open, path, content.subarray(0, 100_000));
    await open.stop();
    open = await TestServer.start(environment);
    const half = await offsetOf(open, path);
    expect(half.headers).toMatchObject({ 'upload-offset': '100000', 'upload-length': '200000' });
    const started = { workflow: 'encode', input: encodeInput(`upload:${idOf(begun)}`) };
    expect(await open.post('/api/runs', started)).toMatchObject({ status: 409, body: { code: 'upload_unfinished' } });
    expect(await send(open, path, 0, content)).toMatchObject({ status: 409 });
    const rest = await send(open, path, 100_000, content.subarray(100_000));
    expect(rest.headers).toMatchObject({ 'upload-offset': '200000' });
    expect(await readFile(join(uploads(), idOf(begun)))).toEqual(content);

    const run = await open.post('/api/runs', started, { 'idempotency-key': 'one' });
    expect(run).toMatchObject({ status: 201 });
    // The id is percent-encoded, as in `Location`.
    const encoded = { workflow: 'encode', input: { ...started.input, sourceUrl: `upload:${path.split('/').at(-1)}` } };
    expect(encoded).not.toEqual(started);
    expect(await open.post('/api/runs', encoded, { 'idempotency-key': 'one' })).toMatchObject({ status: 200 });
    // Files of one name in the results of two runs are different sources.
    const results = ['1', '2'].map((id) => pathToFileURL(join(root, 'holdfast', 'results', id, 'talk.wav')).href);
    const reads = results.map((sourceUrl) => ({ workflow: 'encode', input: { ...started.input, sourceUrl } }));
    expect(await open.post('/api/runs', reads[0], { 'idempotency-key': 'two' })).toMatchObject({ status: 201 });
    expect(await open.post('/api/runs', reads[1], { 'idempotency-key': 'two' })).toMatchObject({ status: 422 });
    const named = await open.post('/api/runs', started);
    expect(named.body.id).toMatch(/^encode-Gru-?.?e-Co-[0-9a-f]{10}$/);
    const details = await open.get(`/api/runs/${run.body.id}`);
    expect(details.body.input).toEqual({ ...started.input, sourceName: 'Grüße & Co.wav' });
    // Answers do not show the server's folders.
    expect(JSON.stringify(details.body)).not.toContain(folder);
    const [source] = details.body.files;
    expect(source).toMatchObject({ kind: 'source', name: 'Grüße & Co.wav', contentType: 'audio/wav', bytes: 200_000 });
    const part = await request(`${open.url}${source.url}`, { headers: { range: 'bytes=10-19' } });
    expect(part.statusCode).toBe(206);
    expect(part.headers).toMatchObject({
      'content-type': 'audio/wav',
      'content-range': 'bytes 10-19/200000',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(
        /^inline; filename=.*filename\*=UTF-8''Gr%C3%BC%C3%9Fe%20%26%20Co\.wav$/,
      ),
    });
    expect(Buffer.from(await part.body.arrayBuffer())).toEqual(content.subarray(10, 20));
    const beyond = await open.call('GET', source.url, { headers: { range: 'bytes=200000-' } });
    expect(beyond).toMatchObject({ status: 416, body: { code: 'range_not_satisfiable' } });
    const last = await request(`${open.url}${source.url}`, { headers: { range: 'bytes=-200001' } });
    expect([last.statusCode, last.headers['content-range']]).toEqual([206, 'bytes 0-199999/200000']);
    expect(Buffer.from(await last.body.arrayBuffer())).toEqual(content);
    const again = await open.post(`/api/runs/${run.body.id}/rerun`, { input: { priority: 1 } });
    expect(again.body.id).toMatch(/^encode-Gru-?.?e-Co-[0-9a-f]{10}$/);

    const all = await readdir(folder, { recursive: true, withFileTypes: true });
    const uploaded = all.filter(({ name }) => name.endsWith('Grüße & Co.wav'));
    await Promise.all(uploaded.map(async ({ parentPath, name }) => await rm(join(parentPath, name))));
    // The key still has its run, and a new run needs the upload.
    const repeated = await open.post('/api/runs', encoded, { 'idempotency-key': 'one' });
    expect(repeated).toMatchObject({ status: 200, body: { id: run.body.id } });
    const batch = [started, encoded].map((each, index) => ({ ...each, idempotencyKey: ['one', 'new'][index] }));
    const { body } = await open.post('/api/runs:batch', { action: 'start', runs: batch });
    expect(body.results).toMatchObject([{ status: 200, id: run.body.id }, { status: 404 }]);
    for (const [input, headers] of [
      [started.input, {}],
      [{ ...started.input, priority: 2 }, { 'idempotency-key': 'one' }],
    ] as const) {
      const refused = await open.post('/api/runs', { workflow: 'encode', input }, headers);
      expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    const gone = await open.post(`/api/runs/${run.body.id}/rerun`, {});
    expect(gone).toMatchObject({ status: 422, body: { code: 'source_unusable' } });
    expect(gone.body.detail).toMatch(/"Grüße & Co.wav" is no longer in the media folder/);
  });

  test('only the owner can use an upload, whatever its metadata say', async () => {
    const begun = await begin(server, 4, { token: anna });
    const path = String(begun.headers['location']);
    for (const answer of [
      await offsetOf(server, path, bert),
      await send(server, path, 0, Buffer.from('data'), bert),
      await server.call('DELETE', path, { headers: { ...tus, ...bearer(bert) } }),
    ]) {
      expect(answer.status).toBe(404);
    }
    // A query does not change which upload a path names.
    const ofBert = String((await begin(server, 4, { token: bert })).headers['location']);
    const disguised = `${ofBert}?x=/${idOf(begun)}`;
    expect(await send(server, disguised, 0, Buffer.from('evil'), bert)).toMatchObject({ status: 204 });
    expect(await offsetOf(server, ofBert, bert)).toMatchObject({ headers: { 'upload-offset': '4' } });
    await server.call('DELETE', disguised, { headers: { ...tus, ...bearer(bert) } });
    expect(await offsetOf(server, ofBert, bert)).toMatchObject({ status: 404 });
    expect(await offsetOf(server, path, anna)).toMatchObject({ status: 200, headers: { 'upload-offset': '0' } });
    expect(await begin(server, 4, { token: reader })).toMatchObject({ status: 403 });
    expect(await begin(server, 4)).toMatchObject({ status: 401 });
    await send(server, path, 0, Buffer.from('data'), anna);
    const input = encodeInput(`upload:${idOf(begun)}`);
    const start = async (token: string | undefined): Promise<ServerAnswer> =>
      await server.post('/api/runs', { workflow: 'encode', input }, { ...bearer(token), 'idempotency-key': 'one' });
    expect(await start(bert)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const own = await start(anna);
    expect(own).toMatchObject({ status: 201 });
    expect(await start(bert)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    // Uploads are below MEDIA_ROOT, so file: URLs must not reach them.
    const direct = encodeInput(pathToFileURL(join(uploads(), idOf(begun))).href);
    const reruns = `/api/runs/${own.body.id}/rerun`;
    for (const answer of [
      await server.post('/api/runs', { workflow: 'encode', input: direct }, bearer(anna)),
      await server.post(reruns, { input: { sourceUrl: ` FILE://${root}/x` } }, bearer(anna)),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
    expect(await server.call('DELETE', path, { headers: { ...tus, ...bearer(anna) } })).toMatchObject({ status: 204 });
    expect(await start(anna)).toMatchObject({ status: 200, body: { id: own.body.id } });
    expect(await start(bert)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await server.get(`/api/runs/${own.body.id}`, bearer(anna))).toMatchObject({
      status: 200,
      body: { files: [] },
    });
  });

  test('refuses an upload that is too large or not media before it is sent', async () => {
    const large = await begin(open, 2_000_001);
    expect(large).toMatchObject({ status: 413, body: { code: 'request_too_large' } });
    expect(large.body.detail).toContain('"talk.wav" has 2000001 bytes');
    const far = await begin(open, 4, { name: '講演.wav' });
    expect(far.headers['location']).toMatch(/-%E8%AC%9B%E6%BC%94\.wav$/);
    const text = await begin(open, 4, { name: 'notes.txt', type: 'text/plain' });
    expect(text).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(text.body.detail).toBe(
      '"notes.txt" is text/plain, which no run can use. Send audio or video, a JPEG, PNG or WebP picture, or WebVTT.',
    );
    const huge = await begin(open, 1e18);
    expect(huge.status).toBe(413);
    const wide = await TestServer.start({ ...environment, UPLOAD_MAX_BYTES: String(2 ** 53 - 1) });
    expect(await begin(wide, 2 ** 52)).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });
    await wide.stop();
    expect((await readdir(uploads())).filter((name) => name.includes('notes'))).toEqual([]);
  });

  test('sweeps an abandoned upload after a day and keeps other files', async () => {
    const [old, recent] = [await begin(open, 4), await begin(open, 4)];
    const finished = await begin(open, 4);
    await send(open, String(finished.headers['location']), 0, Buffer.from('data'));
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    const aged = [idOf(old), idOf(finished)].flatMap((id) => [id, `${id}.json`]);
    for (const name of aged) await utimes(join(uploads(), name), yesterday, yesterday);
    await writeFile(join(uploads(), 'own file.wav'), 'data');
    await utimes(join(uploads(), 'own file.wav'), new Date(0), new Date(0));
    const again = await TestServer.start(environment);
    await again.process.until(
      'sweep',
      async () => (await offsetOf(again, String(old.headers['location']))).status === 404,
    );
    for (const kept of [recent, finished]) {
      expect((await offsetOf(again, String(kept.headers['location']))).status).toBe(200);
    }
    expect(await readdir(uploads())).toContain('own file.wav');
    await again.stop();
  });

  test('announces uploads by OPTIONS, and refuses them without MEDIA_ROOT', async () => {
    const options = await open.call('OPTIONS', '/api/uploads');
    expect(options.headers).toMatchObject({ 'tus-version': '1.0.0', 'tus-max-size': '2000000' });
    expect(options.headers).not.toHaveProperty('access-control-allow-origin');
    const without = await TestServer.start({ TEMPORAL_ADDRESS: temporal.address });
    expect(await begin(without, 4)).toMatchObject({ status: 501, body: { code: 'uploads_unavailable' } });
    const input = encodeInput('upload:x');
    expect(await without.post('/api/runs', { workflow: 'encode', input })).toMatchObject({ status: 501 });
    await without.stop();
  });
});

test('refuses the name of a result that could leave its folder', async () => {
  for (const name of ['../x.mp3', 'a/b.mp3', '..', '', 'a\\b', '\u0000', '/etc/x']) {
    const input = {
      ...encodeInput('https://media.test/talk.wav'),
      outputs: [{ format: 'mp3_64', uploadUrl: `result:${name}` }],
    };
    expect(await open.post('/api/runs', { workflow: 'encode', input }), name).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  }
});

test('serves no file without a valid link, and none outside MEDIA_ROOT', async () => {
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await symlink(join(folder, 'secret.txt'), join(root, 'link.mp3'));
  const input = encodeInput(pathToFileURL(join(root, 'link.mp3')).href);
  const run = await open.post('/api/runs', { workflow: 'encode', input });
  expect((await open.get(`/api/runs/${run.body.id}`)).body.files).toEqual([]);
  const far = Math.ceil(Date.now() / 1000) + 3600;
  for (const path of [
    '/media/',
    '/media/link.mp3',
    '/media/..%2fsecret.txt',
    '/media/%2e%2e/secret.txt',
    '/media/holdfast/',
  ]) {
    expect(await open.get(path), path).toMatchObject({ status: 404 });
    expect(await open.get(`${path}?expires=${far}&signature=x`), path).toMatchObject({ status: 404 });
  }
});

function encodeInput(sourceUrl: string) {
  return { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl: 'result:talk.mp3' }] };
}
