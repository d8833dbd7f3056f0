import { createHmac } from 'node:crypto';
import { copyFile, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { MediaServer } from '../../fixtures/media-server.ts';
import type { Handler } from '../../support/loopback-server.ts';
import { speechWav } from '../../support/media.ts';
import { startS3 } from '../../support/s3.ts';
import { s3Client } from '../../support/s3-client.ts';
import { useService } from '../http/support.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const service = await useService();

const [s3, elsewhere] = await Promise.all([stopAfterAll(startS3()), stopAfterAll(MediaServer.start())]);
await copyFile(speechWav, join(s3.folder, 'media/in.wav'));
const client = s3Client(s3);

const secret = 'Bearer s3cr3t-value';
const encodeTo = (output: object, source: object = { sourceUrl: service.speech() }) =>
  service.post('/encode', { ...source, outputs: [{ format: 'mp3_64', ...output }] });

test('requires the headers that a signature covers, and sends them', async () => {
  const sign = (Key: string, input: object, names: string[]) =>
    getSignedUrl(client, new PutObjectCommand({ Bucket: 'media', Key, ...input }), {
      ...{ expiresIn: 600, signableHeaders: new Set(['host', ...names]), unhoistableHeaders: new Set(names) },
    });
  const uploadUrl = await sign('typed.mp3', { ContentType: 'audio/x-own' }, ['content-type']);
  expect(uploadUrl).toContain('SignedHeaders=content-type%3Bhost');
  expect(await encodeTo({ uploadUrl })).toMatchObject({ status: 422, body: { code: 'upload_refused' } });
  expect(await encodeTo({ uploadUrl, headers: { 'Content-Type': 'audio/x-own' } })).toMatchObject({ status: 200 });
  // The content type of the format need not be repeated.
  const ours = await sign('ours.mp3', { ContentType: 'audio/mpeg' }, ['content-type']);
  expect(await encodeTo({ uploadUrl: ours })).toMatchObject({ status: 200 });

  const more = await sign('more.mp3', { Metadata: { title: 'A B' } }, ['x-amz-meta-title']);
  expect(await encodeTo({ uploadUrl: more })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(await encodeTo({ uploadUrl: more, headers: { 'x-amz-meta-title': 'A B' } })).toMatchObject({ status: 200 });
  for (const name of ['typed.mp3', 'ours.mp3', 'more.mp3']) {
    expect((await stat(join(s3.folder, 'media', name))).size).toBeGreaterThan(1000);
  }
});

test('reads a source with its signed header in encodes, chunks and metadata', async () => {
  const command = new GetObjectCommand({ Bucket: 'media', Key: 'in.wav' });
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-api-key'] = secret;
      return next(args);
    },
    { step: 'build' },
  );
  const names = new Set(['host', 'x-api-key']);
  const sourceUrl = await getSignedUrl(client, command, {
    ...{ expiresIn: 600, signableHeaders: names, unhoistableHeaders: new Set(['x-api-key']) },
  });
  expect(sourceUrl).toContain('host%3Bx-api-key');
  const headers = { 'X-Api-Key': secret };
  const chunks = [{ index: 0, uploadUrl: service.out('signed-chunk') }];
  expect(await encodeTo({ uploadUrl: service.out('signed') }, { sourceUrl, headers })).toMatchObject({ status: 200 });
  expect(await service.post('/chunk', { sourceUrl, headers, chunks })).toMatchObject({ status: 200 });
  expect(await service.post('/metadata', { sourceUrl, headers })).toMatchObject({ status: 200 });
  expect(await service.post('/metadata', { sourceUrl })).toMatchObject({ status: 400 });
  expect(await service.post('/metadata', { sourceUrl, headers: { 'x-api-key': 'other' } })).toMatchObject({
    ...{ status: 404, body: { code: 'source_not_found' } },
  });
});

/** Verifies signature version 2: PUT, Content-MD5, Content-Type, Expires, amz headers, resource. */
function isSignedV2(request: IncomingMessage, key: string): boolean {
  const url = new URL(request.url ?? '', 'http://store');
  const { 'content-md5': md5 = '', 'content-type': type = '' } = request.headers;
  const text = ['PUT', md5, type, url.searchParams.get('Expires'), url.pathname].join('\n');
  return url.searchParams.get('Signature') === createHmac('sha1', key).update(text).digest('base64');
}

function signV2(path: string, type: string): string {
  const signature = createHmac('sha1', 'key').update(`PUT\n\n${type}\n9999999999\n${path}`).digest('base64');
  const query = new URLSearchParams({ AWSAccessKeyId: 'id', Expires: '9999999999', Signature: signature });
  return `${service.media.url}${path}?${query.toString()}`;
}

test('sends only the content type that a signature of version 2 covers', async () => {
  const check: Handler = (request, response) => {
    request.resume().once('end', () => response.writeHead(isSignedV2(request, 'key') ? 200 : 403).end());
  };
  service.media.on('PUT /v2', check);
  service.media.on('PUT /v2-typed', check);
  expect(await encodeTo({ uploadUrl: signV2('/v2', '') })).toMatchObject({ status: 200 });
  const uploadUrl = signV2('/v2-typed', 'audio/x-own');
  expect(await encodeTo({ uploadUrl })).toMatchObject({ status: 422, body: { code: 'upload_refused' } });
  expect(await encodeTo({ uploadUrl, headers: { 'content-type': 'audio/x-own' } })).toMatchObject({ status: 200 });
});

test('writes an Azure blob without a blob type from the caller', async () => {
  const url = service.media.on('PUT /container/blob', (request, response) => {
    const isBlob = request.headers['x-ms-blob-type'] === 'BlockBlob';
    request.resume().once('end', () => response.writeHead(isBlob ? 201 : 400).end());
  });
  expect(await encodeTo({ uploadUrl: `${url}?sv=2024&se=1&sr=b&sp=cw&sig=s` })).toMatchObject({ status: 200 });
});

test('sends headers only to their own origin, and never logs them', async () => {
  const seen: Record<string, IncomingMessage['headers']> = {};
  const remember = (server: MediaServer, path: string, to?: string): string =>
    server.on(`GET ${path}`, (request, response) => {
      seen[path] = request.headers;
      if (to !== undefined) response.writeHead(302, { location: to }).end();
      else response.writeHead(404).end();
    });
  const back = remember(service.media, '/back');
  const away = remember(elsewhere, '/away', back);
  const here = remember(service.media, '/here', away);
  const sourceUrl = remember(service.media, '/start', here);
  const headers = { Authorization: secret, 'X-Own': 'x' };
  const answer = await encodeTo({ uploadUrl: service.out('nowhere') }, { sourceUrl, headers });
  expect(answer).toMatchObject({ status: 404 });
  for (const path of ['/start', '/here']) expect(seen[path]).toMatchObject({ authorization: secret, 'x-own': 'x' });
  for (const path of ['/away', '/back']) {
    expect(seen[path]).not.toHaveProperty('authorization');
    expect(seen[path]).not.toHaveProperty('x-own');
  }
  const bad = await encodeTo({ uploadUrl: `${service.media.url}/x`, headers: { authorization: `${secret}\n` } });
  expect(bad).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  const { body: jobs } = await service.container.call('GET', '/jobs');
  for (const told of [answer.body, bad.body, jobs, service.container.process.output]) {
    expect(JSON.stringify(told)).not.toContain('s3cr3t');
  }
});

test('joins a job by a request with other headers', async () => {
  const body = (value: string) => ({
    sourceUrl: `${service.media.url}/never`,
    headers: { authorization: value },
    outputs: [{ format: 'mp3_64', uploadUrl: `${service.media.url}/x`, headers: { 'x-own': value } }],
  });
  const key = { 'idempotency-key': 'with-headers', prefer: 'respond-async' };
  const first = await service.post('/encode', body('one'), key);
  const second = await service.post('/encode', body('two'), key);
  expect(second).toMatchObject({ status: 202, body: { jobId: first.body.jobId } });
});
