import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, onTestFinished, test } from 'vitest';
import { TestContainer, type Answer } from '../../support/container.ts';
import { speechWav } from '../../support/media.ts';
import { startS3, versitygw } from '../../support/s3.ts';
import { s3Client } from '../../support/s3-client.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';
import { useService } from '../http/support.ts';
import { makeMedia } from '../../support/media-files.ts';
import { createTestAgent, fetchUrl } from './ranged-source.ts';

const strictS3 = await versitygw();
const service = await useService();

const serveRedirects = (name: string, to: string, count: number): string => {
  for (let hop = 1; hop < count; hop += 1) {
    service.media.on(`GET /${name}-${hop}`, (_request, response) => {
      response.writeHead(302, { location: `/${name}-${hop + 1}` }).end();
    });
  }
  service.media.on(
    `GET /${name}-${count}`,
    (_request, response) => void response.writeHead(307, { location: to }).end(),
  );
  return `${service.media.url}/${name}-1`;
};
const encodeFrom = (sourceUrl: string): Promise<Answer> =>
  service.post('/encode', service.encodeOf(sourceUrl, 'where'));

test('follows ten redirects, but not eleven', async () => {
  service.media.serve('/final.wav', speechWav);
  expect((await encodeFrom(serveRedirects('ten', '/final.wav', 10))).status).toBe(200);
  expect(await encodeFrom(serveRedirects('eleven', '/final.wav', 11))).toMatchObject({
    status: 403,
    body: { code: 'source_forbidden' },
  });
});

test.each(['utf8', 'latin1'] as const)('follows a redirect to an address with letters in %s', async (encoding) => {
  service.media.serve('/Gespr%C3%A4ch.wav', speechWav);
  // Node writes each character of a header as one byte.
  const location = Buffer.from('/Gespräch.wav', encoding).toString('latin1');
  expect((await encodeFrom(serveRedirects(encoding, location, 1))).status).toBe(200);
});

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]:1/',
  'http://10.0.0.1/',
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'http://user:secret@127.0.0.1:1/',
])('does not follow a redirect to %s', async (to) => {
  const answer = await encodeFrom(serveRedirects('away', to, 1));
  expect(answer).toMatchObject({ status: 403, body: { code: 'source_forbidden' } });
  expect(JSON.stringify(answer.body)).not.toContain('secret');
});

test.each([
  ['http://user:secret@127.0.0.1:1/x', 403, 'source_forbidden'],
  ['http://127.0.0.1:1/x', 502, 'source_unavailable'],
  ['http://nothing.invalid/x', 502, 'source_unavailable'],
  ['http://2130706434/x', 403, 'source_forbidden'],
  ['file:///etc/passwd', 403, 'source_forbidden'],
  ['ftp://127.0.0.1/x', 403, 'source_forbidden'],
  ['s3://bucket/key', 403, 'source_forbidden'],
  ['data:,x', 403, 'source_forbidden'],
  ['x.wav', 400, 'invalid_request'],
])('rejects a source at %s with %i %s', async (sourceUrl, status, code) => {
  expect(await encodeFrom(sourceUrl)).toMatchObject({ status, body: { code } });
});

test.each([
  [404, 404, 'source_not_found'],
  [410, 404, 'source_not_found'],
  [400, 404, 'source_not_found'],
  [401, 404, 'source_not_found'],
  [403, 404, 'source_not_found'],
  [429, 502, 'source_unavailable'],
  [500, 502, 'source_unavailable'],
  [503, 502, 'source_unavailable'],
])('reports an origin that answers %i as %i %s', async (origin, status, code) => {
  const url = service.media.on(
    `GET /status-${origin}`,
    (_request, response) => void response.writeHead(origin).end('x'),
  );
  expect(await encodeFrom(url)).toMatchObject({ status, body: { code } });
});

test('rejects an answer that is compressed, reset or too large, and runs the next job', async () => {
  const compressed = service.media.on('GET /gz', (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'.repeat(1000));
  });
  const broken = service.media.on('GET /broken', (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('x', () => response.destroy());
  });
  const huge = service.media.on('GET /huge', (_request, response) => {
    response.writeHead(200, { 'content-length': String(1e12) }).write('x');
  });
  for (const [url, status, code] of [
    [compressed, 422, 'undecodable_source'],
    [broken, 502, 'source_unavailable'],
    [huge, 413, 'source_too_large'],
  ] as const) {
    expect(await encodeFrom(url)).toMatchObject({ status, body: { code } });
  }
  expect((await encodeFrom(service.speech())).status).toBe(200);
});

test('reads a source whose store repeats the Content-Encoding aws-chunked of its upload', async () => {
  const s3 = await stopAfterTest(startS3(['media'], strictS3));
  const [client, dispatcher] = [s3Client(s3), createTestAgent(60)];
  onTestFinished(async () => {
    client.destroy();
    await dispatcher.destroy();
  });
  const object = { Bucket: 'media', Key: 'in.wav' };
  const body = Buffer.from('plain bytes');
  await client.send(new PutObjectCommand({ ...object, Body: body, ContentEncoding: 'aws-chunked' }));
  const { ContentEncoding } = await client.send(new GetObjectCommand(object));
  expect(ContentEncoding).toBe('aws-chunked');
  const url = await getSignedUrl(client, new GetObjectCommand(object), { expiresIn: 600 });
  expect((await fetchUrl(url, { dispatcher })).bytes.equals(body)).toBe(true);
});

test('rejects a source above the limit of bytes or seconds with 413, declared or not', async () => {
  const small = await TestContainer.start({ MAX_SOURCE_BYTES: '100000', MAX_SOURCE_DURATION_SECONDS: '10' });
  await makeMedia(small.mediaRoot, 'long.mp3', '-i', speechWav, '-b:a', '16k');
  await copyFile(speechWav, join(small.mediaRoot, 'large.wav'));
  const streamed = service.media.on('GET /streamed', (_request, response) => void response.end(Buffer.alloc(200_000)));
  for (const [url, code] of [
    [small.fileUrl('large.wav'), 'source_too_large'],
    [streamed, 'source_too_large'],
    [small.fileUrl('long.mp3'), 'source_too_long'],
  ] as const) {
    expect(await small.call('POST', '/encode', service.encodeOf(url, 'x', small))).toMatchObject({
      status: 413,
      body: { code },
    });
  }
  await small.stop();
});

test('acts on the status of an answer whose page never ends', async () => {
  service.media.serve('/behind-an-endless-page.wav', speechWav);
  const serveEndless = (path: string, status: number, headers: Record<string, string> = {}): string =>
    service.media.on(`GET ${path}`, (_request, response) => {
      response.writeHead(status, headers).write('<html>');
      const sending = setInterval(() => void response.write(' '), 100);
      response.on('close', () => clearInterval(sending));
    });
  expect(await encodeFrom(serveEndless('/endless-404', 404))).toMatchObject({ body: { code: 'source_not_found' } });
  const moved = serveEndless('/endless-302', 302, { location: '/behind-an-endless-page.wav' });
  expect((await encodeFrom(moved)).status).toBe(200);
});

test('reports an answer that is not HTTP as source_unavailable', async () => {
  const sourceUrl = service.media.on('GET /no-http', ({ socket }) => {
    socket.end('HTTP/1.1 200 OK\r\nno header\r\n\r\n');
  });
  expect(await encodeFrom(sourceUrl)).toMatchObject({ status: 502, body: { code: 'source_unavailable' } });
});
