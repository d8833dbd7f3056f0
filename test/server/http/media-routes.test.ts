import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { pino } from 'pino';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { MediaLinks } from '../../../server/files/media-links.ts';
import { answerProblem } from '../../../server/http/failures.ts';
import { mediaRouter } from '../../../server/http/media-routes.ts';
import { useFolder } from '../../support/folder.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const root = useFolder();
await writeFile(join(root, 'talk.mp3'), 'sound');
const links = new MediaLinks(root, undefined);
const app = express().use(mediaRouter(links, root), answerProblem(pino({ level: 'silent' })));
const server = await stopAfterAll(LoopbackServer.start(app));
const linked = await links.link(pathToFileURL(join(root, 'talk.mp3')).href);
const url = `${server.url}${linked?.url}`;

const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
const future = 'Fri, 01 Jan 2100 00:00:00 GMT';

test.each([
  ['GET', { 'if-match': '"another"' }, 412],
  ['HEAD', { 'if-match': '"another"' }, 412],
  ['GET', { 'if-match': '*' }, 200],
  ['GET', { 'if-unmodified-since': past }, 412],
  ['GET', { 'if-unmodified-since': future }, 200],
  ['GET', { 'if-unmodified-since': 'nonsense' }, 200],
  ['GET', { 'if-none-match': '*' }, 304],
  ['GET', { 'if-modified-since': future }, 304],
  ['GET', { range: 'bytes=0-1', 'if-match': '"another"' }, 412],
  ['GET', { range: 'bytes=0-1', 'if-range': '"another"' }, 200],
  ['GET', { range: 'bytes=9-' }, 416],
] as const)('answers %s with %j by %i', async (method, headers, status) => {
  const answer = await request(url, { method, headers });
  const body = await answer.body.text();
  expect(answer.statusCode).toBe(status);
  if (status < 400) return;
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.headers).not.toHaveProperty('content-disposition');
  if (method === 'GET') expect(JSON.parse(body)).toMatchObject({ status });
});

test('names the current ETag of a file whose condition failed', async () => {
  const { headers, body } = await request(url, { method: 'HEAD' });
  await body.dump();
  const failed = await request(url, { headers: { 'if-match': '"another"' } });
  await failed.body.dump();
  expect(failed.headers['etag']).toBe(headers['etag']);
  const matched = await request(url, { headers: { 'if-match': String(headers['etag']) } });
  expect([matched.statusCode, await matched.body.text()]).toEqual([200, 'sound']);
});
