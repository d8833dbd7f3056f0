import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestServer } from '../../support/server.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const tus = { 'tus-resumable': '1.0.0' };

const root = useFolder();

// Uploads need no Temporal server.
const environment = { TEMPORAL_ADDRESS: '127.0.0.1:1', MEDIA_ROOT: root, UPLOAD_MAX_BYTES: '2000000' };
const open = await stopAfterAll(TestServer.start(environment));

test('refuses uploads with problem documents and the statuses that tus clients expect', async () => {
  const path = String(
    (await open.call('POST', '/api/uploads', { headers: { ...tus, 'upload-length': '4' } })).headers['location'],
  );
  const patch = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  const { 'tus-resumable': _, ...unversioned } = patch;
  const refusals: [string, Record<string, string>, number, string][] = [
    [path, unversioned, 412, 'tus_version_unsupported'],
    [path, { ...patch, 'tus-resumable': '0.2.2' }, 412, 'tus_version_unsupported'],
    [path, { ...patch, 'upload-offset': '3' }, 409, 'upload_conflict'],
    [path, { ...patch, 'upload-offset': '-1' }, 400, 'invalid_request'],
    [path, { ...patch, 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    [path, { ...tus, 'content-type': 'application/offset+octet-stream' }, 400, 'invalid_request'],
    [path, { ...patch, 'upload-length': '9' }, 400, 'invalid_request'],
    [`${path}x`, patch, 404, 'not_found'],
  ];
  for (const [place, headers, status, code] of refusals) {
    const answer = await open.call('PATCH', place, { text: 'data', headers });
    expect([answer.status, answer.body.code], JSON.stringify(headers)).toEqual([status, code]);
    expect(answer.headers).toMatchObject({ 'content-type': expect.stringMatching(/^application\/problem\+json/) });
    expect(answer.body.detail).toMatch(/\w+ \w+/);
  }
  const late = { ...tus, 'upload-defer-length': '1' };
  const deferred = String((await open.call('POST', '/api/uploads', { headers: late })).headers['location']);
  const long = await open.call('PATCH', deferred, {
    headers: { ...patch, 'upload-length': '2000001' },
    text: 'data',
  });
  expect(long).toMatchObject({ status: 413, body: { code: 'request_too_large' } });
  const noLength = await open.call('POST', '/api/uploads', { headers: tus });
  expect(noLength).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  const parallel = { ...tus, 'upload-length': '4', 'upload-concat': 'partial' };
  const joined = await open.call('POST', '/api/uploads', { headers: parallel });
  expect(joined).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', detail: expect.stringContaining('Concatenation') },
  });
  expect(await open.call('HEAD', path, { headers: tus })).toMatchObject({
    status: 200,
    headers: { 'upload-offset': '0' },
  });
});

test('keeps no upload of a request whose body is longer than its length', async () => {
  const folder = join(root, 'holdfast/uploads');
  const before = await readdir(folder);
  const headers = { ...tus, 'upload-length': '2', 'content-type': 'application/offset+octet-stream' };
  const answer = await open.call('POST', '/api/uploads', { headers, text: 'data' });
  expect(answer).toMatchObject({ status: 413, body: { code: 'request_too_large' } });
  expect(await readdir(folder)).toEqual(before);
});

test('continues and keeps an upload that began more than a day ago', async () => {
  const begun = await open.call('POST', '/api/uploads', { headers: { ...tus, 'upload-length': '4' } });
  const path = String(begun.headers['location']);
  const facts = join(root, 'holdfast/uploads', `${decodeURIComponent(path.split('/').at(-1) ?? '')}.json`);
  const upload: unknown = JSON.parse(await readFile(facts, 'utf8'));
  const creationDate = new Date(Date.now() - 25 * 3_600_000).toISOString();
  await writeFile(facts, JSON.stringify({ ...(upload as object), creation_date: creationDate }));
  const headers = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  expect(await open.call('PATCH', path, { headers, text: 'data' })).toMatchObject({ status: 204 });
  const found = await open.call('HEAD', path, { headers: tus });
  expect(found).toMatchObject({ status: 200, headers: { 'upload-offset': '4' } });
});

test('refuses an upload that declares late a length beyond the free disk space', async () => {
  const wide = await TestServer.start({ ...environment, UPLOAD_MAX_BYTES: String(2 ** 53 - 1) });
  const begun = await wide.call('POST', '/api/uploads', { headers: { ...tus, 'upload-defer-length': '1' } });
  const headers = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  const path = String(begun.headers['location']);
  const answer = await wide.call('PATCH', path, {
    headers: { ...headers, 'upload-length': String(2 ** 52) },
    text: 'x',
  });
  expect(answer).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });
  await wide.stop();
});

test.each(['NaN', '-1', '1e3', '0x10', '1.5', '', ' ', 'Infinity', '4 ', '4, 4', '４'])(
  'answers 400 to an Upload-Length of %j',
  async (length) => {
    const headers = { ...tus, 'upload-length': Buffer.from(length).toString('latin1') };
    // The HTTP client removes the spaces around a value.
    const status = length.trim() === '4' ? 201 : 400;
    expect(await open.call('POST', '/api/uploads', { headers })).toMatchObject({ status });
  },
);

test('answers 405 with the allowed methods to every other method of an upload, whatever else is wrong', async () => {
  const without = await TestServer.start({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const upload = 'HEAD, PATCH, DELETE';
  const paths = [
    ['/api/uploads', 'POST'],
    ['/api/uploads/some-id', upload],
    ['/api/uploads/s3', 'POST'],
    ['/api/uploads/s3/some-id', 'GET, HEAD, DELETE'],
    ['/api/uploads/s3/some-id/parts', 'POST'],
    ['/media/some.mp3', 'GET, HEAD'],
  ] as const;
  const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
  for (const server of [open, without]) {
    for (const [path, allow] of paths) {
      for (const method of methods) {
        if (allow.split(', ').includes(method)) continue;
        const { status, headers } = await server.call(method, path, { headers: method === 'PATCH' ? tus : {} });
        expect([status, headers['allow']], `${method} ${path}`).toEqual([405, allow]);
      }
    }
  }
  expect(await without.get('/media/some.mp3')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  await without.stop();
});
