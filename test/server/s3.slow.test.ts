import { openAsBlob } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastClient } from '../../api-client/client.ts';
import type { BegunS3Upload } from '../../api-client/s3-upload.ts';
import type { RunFile } from '../../contract/server/run-file.ts';
import type { S3UploadView } from '../../contract/server/s3-upload.ts';
import { ensurePage } from '../../scripts/setup/page.mjs';
import { anybodyHere } from '../../server/access/caller.ts';
import { BucketUploads } from '../../server/buckets/bucket-uploads.ts';
import { openS3Store } from '../../stores/s3/s3-store.ts';
import { wavFile } from '../media/wav.ts';
import type { Environment } from '../support/process.ts';
import { fakeStores } from '../support/fake-stores.ts';
import { type S3Server, startS3 } from '../support/s3.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { useFolder } from '../support/folder.ts';

const [anna, bert, all] = ['anna', 'bert', 'all'].map((name) => `${name}-0123456789abcdef`);
const bearer = (token = ''): Record<string, string> => ({ authorization: `Bearer ${token}` });
const mebibyte = 1024 ** 2;

const folder = useFolder();
let s3: S3Server;
let stack: TestStack;
let environment: Environment;
let server: TestServer;
/** A file of three parts. */
let wav: Buffer<ArrayBuffer>;

beforeAll(async () => {
  await ensurePage(process.execPath);
  wav = stereoWav(100);
  const file = join(folder, 'tokens.json');
  const tokens = [
    { token: anna, scopes: ['read', 'run'], owner: 'anna' },
    { token: bert, scopes: ['read', 'run'], owner: 'bert' },
    { token: all, scopes: ['read', 'run', 'operate'] },
  ];
  await writeFile(file, JSON.stringify(tokens));
  s3 = await startS3(['media']);
  stack = await TestStack.start({ workerEnvironment: s3.environment });
  environment = {
    TEMPORAL_ADDRESS: stack.temporal.address,
    SERVER_TOKENS_FILE: file,
    UPLOAD_MAX_BYTES: '30000000',
    ...s3.environment,
    S3_UPLOAD_PREFIX: 's3://media/uploads/',
    S3_OWNER_PREFIXES: 's3://media/results/,s3://media/elsewhere/',
    S3_LINK_PREFIXES: 's3://media/results/',
  };
  server = await TestServer.start(environment);
});

afterAll(async () => {
  await server.stop();
  await stack.stop();
  await s3.stop();
});

/** A rising tone, so that no two parts are equal. */
function stereoWav(seconds: number): Buffer<ArrayBuffer> {
  const sampleRate = 44_100;
  const samples = new Int16Array(seconds * sampleRate * 2);
  for (let frame = 0; frame < samples.length / 2; frame += 1) {
    samples[frame * 2] = samples[frame * 2 + 1] = 9_000 * Math.sin((frame / sampleRate) * (600 + frame / 10_000));
  }
  return wavFile({ tag: 1, channels: 2, sampleRate, bitsPerSample: 16 }, Buffer.from(samples.buffer));
}

const clientOf = (token = ''): HoldfastClient => new HoldfastClient({ url: server.url, token });

async function begin(token = anna, more: object = {}): Promise<S3UploadView> {
  const wanted = { filename: 'talk.wav', filetype: 'audio/wav', bytes: wav.length, ...more };
  return (await server.post('/api/uploads/s3', wanted, bearer(token))).body as S3UploadView;
}

async function putPart({ id, partBytes }: S3UploadView, part: number, bytes?: Buffer): Promise<number> {
  const { body } = await server.post(`/api/uploads/s3/${id}/parts`, { parts: [part] }, bearer(anna));
  const content = bytes ?? wav.subarray((part - 1) * partBytes, part * partBytes);
  const answer = await request(body.urls[0].url, { method: 'PUT', body: content });
  await answer.body.dump();
  return answer.statusCode;
}

const objectAt = async (source: string): Promise<Buffer> =>
  await readFile(join(s3.folder, source.slice('s3://'.length)));

describe('uploads straight to the bucket', () => {
  test('resumes with the missing parts, even after a restart, and stores the exact file', async () => {
    const begun = await begin(anna, { filename: 'Grüße & #1.wav' });
    expect(begun).toMatchObject({ bytes: wav.length, parts: 3, partBytes: 8 * mebibyte, uploaded: [] });
    expect(begun.source).toMatch(/^s3:\/\/media\/uploads\/owner-[\w-]{22}\/[\w-]{22}-Grüße & -1\.wav$/);
    expect(await putPart(begun, 2)).toBe(200);
    const early = await server.post(`/api/uploads/s3/${begun.id}/complete`, undefined, bearer(anna));
    expect(early).toMatchObject({ status: 409, body: { code: 'upload_unfinished' } });
    await server.stop();
    server = await TestServer.start(environment);
    const known = await server.get(`/api/uploads/s3/${begun.id}`, bearer(anna));
    expect(known.body).toEqual({ ...begun, uploaded: [2] });
    const progress: number[] = [];
    const source = await clientOf(anna).upload(new Blob([wav]), {
      to: 's3',
      begun: { id: begun.id, parts: [2] },
      onProgress: (bytes) => progress.push(bytes),
    });
    expect(progress.at(0)).toBe(8 * mebibyte);
    expect(progress).toHaveLength(3);
    expect(progress.at(-1)).toBe(wav.length);
    expect(source).toBe(begun.source);
    expect((await objectAt(source)).equals(wav)).toBe(true);
    const again = await server.post(`/api/uploads/s3/${begun.id}/complete`, undefined, bearer(anna));
    expect(again).toMatchObject({ status: 200, body: { source, bytes: wav.length } });
  });

  test.each([
    ['longer', 9 * mebibyte],
    ['longer in its last part', 8 * mebibyte + 9],
    ['shorter in its last part', 8 * mebibyte + 1],
  ])('starts over with a file that has become %s', async (_, bytes) => {
    let begun: BegunS3Upload | undefined;
    const before = await clientOf(anna).createUpload(new Blob([wav.subarray(0, 8 * mebibyte + 5)]), {
      to: 's3',
      onBegun: (upload) => {
        begun = upload;
        if (upload.parts.length === 2) void before.pause();
      },
    });
    await expect(before.send()).rejects.toThrow('paused');
    const changed = wav.subarray(0, bytes);
    const source = await clientOf(anna).upload(new Blob([changed]), { to: 's3', begun });
    expect((await objectAt(source)).equals(changed)).toBe(true);
  });

  test('does not send a completed upload again if the answer was lost', async () => {
    const begun: BegunS3Upload[] = [];
    const file = new Blob([wav.subarray(0, 1000)]);
    const onBegun = (upload: BegunS3Upload): void => void begun.push(upload);
    const source = await clientOf(anna).upload(file, { to: 's3', onBegun });
    expect(await clientOf(anna).upload(file, { to: 's3', begun: begun.at(-1), onBegun })).toBe(source);
    expect(new Set(begun.map(({ id }) => id)).size).toBe(1);
  });

  test('reports at once that a file changed after it was opened', async () => {
    const path = join(folder, 'changed.wav');
    await writeFile(path, wav);
    const file = await openAsBlob(path);
    await appendFile(path, 'more');
    await expect(clientOf(anna).upload(file, { to: 's3' })).rejects.toThrow('The file cannot be read any more');
  });

  test.each([
    [{ bytes: 30_000_001 }, 413, 'request_too_large'],
    [{ filetype: 'text/html' }, 415, 'unsupported_media_type'],
    [{ bytes: 0 }, 400, 'invalid_request'],
    [{ filetype: 'audio/wav\r\nx: y' }, 400, 'invalid_request'],
    [{ key: 'uploads/other' }, 400, 'invalid_request'],
  ])('refuses an upload of %j', async (wanted, status, code) => {
    const body = { filename: 'talk.wav', bytes: 1000, ...wanted };
    expect(await server.post('/api/uploads/s3', body, bearer(anna))).toMatchObject({ status, body: { code } });
  });

  test('refuses unknown parts, parts of another length and forged ids', async () => {
    const begun = await begin();
    const beyond = await server.post(`/api/uploads/s3/${begun.id}/parts`, { parts: [4] }, bearer(anna));
    expect(beyond).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await putPart(begun, 3, wav.subarray(0, 9 * mebibyte))).toBeGreaterThanOrEqual(400);
    const [name, uploadId] = JSON.parse(Buffer.from(begun.id, 'base64url').toString()) as string[];
    for (const made of [[name, uploadId, 1e12], [name, 'x', 100], ['../../etc', uploadId, 100], ['a'], 'x']) {
      const id = Buffer.from(JSON.stringify(made)).toString('base64url');
      expect((await server.get(`/api/uploads/s3/${id}`, bearer(anna))).status, id).toBeGreaterThanOrEqual(404);
    }
  });

  test('aborts an abandoned upload after a day, and no other upload', async () => {
    const store = openS3Store({ AWS_ENDPOINT_URL_S3: s3.endpoint }, 600);
    Object.assign(process.env, s3.environment);
    const uploads = new BucketUploads({ stores: fakeStores(store), prefix: 's3://media/uploads/', maxBytes: 1e9 });
    const signal = AbortSignal.timeout(60_000);
    const begun = await uploads.begin({ filename: 'old.wav', bytes: 10 }, anybodyHere);
    const others = 's3://media/uploads/of somebody else';
    const foreign = await store.beginUpload(others, {}, signal);
    await uploads.sweep(Date.now() + 23 * 3_600_000);
    expect(await uploads.view(begun.id, anybodyHere)).toMatchObject({ uploaded: [] });
    await uploads.sweep(Date.now() + 25 * 3_600_000);
    await expect(uploads.view(begun.id, anybodyHere)).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.listParts(others, foreign, signal)).toEqual([]);
  });
});

function encodeInput(sourceUrl: string) {
  return {
    sourceUrl,
    outputs: [
      { format: 'mp3_64', uploadUrl: 's3://media/results/Grüße "1".mp3' },
      { format: 'mp3_64', uploadUrl: 's3://media/elsewhere/talk.mp3' },
    ],
  };
}

test('a run uses such an upload, and links only to objects under the prefixes', async () => {
  const client = clientOf(anna);
  const sourceUrl = await client.upload(new Blob([wav], { type: 'audio/wav' }), { to: 's3', name: 'talk.wav' });
  expect(await client.inspect({ sourceUrl })).toMatchObject({ format: 'wav', duration: 100 });
  const { id } = await client.start({ workflow: 'encode', input: encodeInput(sourceUrl) });
  expect(id).toMatch(/^encode-talk-/);
  expect(await client.changePriority(id, 1)).toMatchObject({ id });
  await client.untilEnded(id);
  const run = await client.get(id);
  expect(run).toMatchObject({ state: 'succeeded', priority: 1 });
  const [source, output, ...more] = run.files as [RunFile, RunFile];
  expect(more).toEqual([]);
  expect(source).toMatchObject({ kind: 'source', name: 'talk.wav', contentType: 'audio/wav', bytes: wav.length });
  expect(output).toMatchObject({ kind: 'output', index: 0, name: 'Grüße "1".mp3', contentType: 'audio/mpeg' });
  const got = await request(output.url);
  expect(got.statusCode).toBe(200);
  const content = Buffer.from(await got.body.arrayBuffer());
  expect(content.equals(await objectAt('s3://media/results/Grüße "1".mp3'))).toBe(true);
  expect(content).toHaveLength(output.bytes);
  const lifetime = Date.parse(output.expiresAt) - Date.now();
  expect(lifetime).toBeGreaterThan(59 * 60_000);
  expect(lifetime).toBeLessThanOrEqual(75 * 60_000);
  expect(new URL(output.url).searchParams.get('response-content-disposition')).toBe(
    `inline; filename="Gr__e _1_.mp3"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.mp3`,
  );
  expect(new URL(output.url).searchParams.get('response-content-type')).toBe('audio/mpeg');
  const moved = output.url.replace('/results/', '/elsewhere/').replace(/Gr[^?]*/, 'talk.mp3');
  expect((await request(moved)).statusCode).toBe(403);
  // The same object gets no link in a run of another owner.
  const [, elsewhere] = encodeInput('').outputs;
  const named = { sourceUrl: 's3://media/results/Grüße "1".mp3', outputs: [elsewhere] } as never;
  const stolen = await clientOf(bert).start({ workflow: 'encode', input: named });
  expect((await clientOf(bert).get(stolen.id)).files).toEqual([]);
  expect((await clientOf(all).get(stolen.id)).files).toMatchObject([{ kind: 'source' }]);
  await clientOf(bert)
    .cancel(stolen.id)
    .catch(() => undefined);
  expect(await clientOf(all).queue()).toMatchObject({ workers: 1 });
  expect((await clientOf(all).queueHistory()).samples).not.toEqual([]);
  expect(await clientOf(bert).errors(1)).toMatchObject({ failed: 0, errors: [] });
});

test('the page may load objects of the bucket, and a server without a prefix refuses uploads', async () => {
  const page = await server.get('/');
  expect(page.headers['content-security-policy']).toContain(`media-src 'self' ${s3.endpoint} blob:`);
  expect((await server.get('/api/session', bearer(anna))).body.s3Uploads).toEqual({ maxBytes: 30_000_000 });
  const without = await TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address });
  const refused = await without.post('/api/uploads/s3', { filename: 'a.wav', bytes: 1 });
  expect(refused).toMatchObject({ status: 501, body: { code: 'uploads_unavailable' } });
  expect((await without.get('/')).headers['content-security-policy']).toContain(`media-src 'self' blob:`);
  await without.stop();
});

test('reports that the store is unavailable, and logs the reason', async () => {
  const nowhere = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1', SERVER_TOKENS_FILE: '' };
  const away = await TestServer.start({ ...environment, ...nowhere });
  const refused = await away.post('/api/uploads/s3', { filename: 'a.wav', bytes: 1 });
  expect(refused).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
  // The log line may arrive after the answer.
  await expect
    .poll(() => away.process.output)
    .toMatch(/"error":"connect ECONNREFUSED 127\.0\.0\.1:1","msg":"The store does not answer/);
  await away.stop();
});
