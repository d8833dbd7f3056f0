import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditedAction } from '../../../server/http/audited-action.ts';
import { auditVerdicts } from '../../../server/http/audit-verdicts.ts';
import { serverOpenApi } from '../../../server/http/openapi.ts';
import type { LogLine } from '../../support/process.ts';
import { TestServer } from '../../support/server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { useFolder } from '../../support/folder.ts';

const token = 'audited-0123456789abcdef';
const readOnly = 'readonly-0123456789abcdef';
const mutating = new Set(['post', 'put', 'patch', 'delete']);
const operations = Object.entries(serverOpenApi('').paths).flatMap(([path, item]) =>
  Object.keys(item).flatMap((method) => (mutating.has(method) ? [`${method.toUpperCase()} ${path}`] : [])),
);
const audited = Object.entries(auditVerdicts).flatMap(([operation, verdict]) => {
  const [method = '', path = ''] = operation.split(' ');
  return 'action' in verdict && method !== 'GET' ? [{ operation, method, path, action: verdict.action }] : [];
});

const folder = useFolder();
const file = join(folder, 'tokens.json');
const tokens = [
  { token, scopes: ['read', 'run', 'operate'], owner: 'anna' },
  { token: readOnly, scopes: ['read'] },
];
await writeFile(file, JSON.stringify(tokens));
const server = await stopAfterAll(
  TestServer.start({
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    SERVER_TOKENS_FILE: file,
    LOG_LEVEL: 'info',
  }),
);

test('has a verdict for each operation of the OpenAPI document that changes something, and downloads', () => {
  const downloads = ['GET /media/{place}', 'GET /media/in/{token}/{file}', 'GET /media/zip/{ticket}'];
  expect(Object.keys(auditVerdicts).toSorted()).toEqual([...operations, ...downloads].toSorted());
});

async function lineOf(requestId: string): Promise<LogLine> {
  return await server.process.until('line of the audit log', () =>
    server.process.logLines.find((line) => line['audit'] === true && line['requestId'] === requestId),
  );
}

async function request(method: string, path: string, requestId: string, authorization?: string): Promise<number> {
  const url = `${server.url}${path.replaceAll(/\{\w+\}/g, 'some%20thing')}?signature=query-secret`;
  const body = JSON.stringify({ secret: 'body-secret' });
  const type = path.startsWith('/api/uploads') ? {} : { 'content-type': 'application/json' };
  const headers = { 'x-request-id': requestId, ...type, ...(authorization !== undefined && { authorization }) };
  return (await fetch(url, { method, headers, body })).status;
}

test.concurrent.each(audited)(
  'records denied and failed requests to $method $path',
  async ({ operation, method, path, action }) => {
    const target = path.includes('{') ? { target: expect.stringContaining('some thing') } : {};
    const unknown = `${operation} unknown`;
    expect(await request(method, path, unknown, 'Bearer stolen-0123456789abcdef')).toBe(401);
    expect(await lineOf(unknown)).toMatchObject({
      actor: 'unknown',
      action,
      outcome: 'denied',
      status: 401,
      ...target,
    });

    const forbidden = `${operation} forbidden`;
    expect(await request(method, path, forbidden, `Bearer ${readOnly}`)).toBe(403);
    const denied = { actor: 'token 2', action, outcome: 'denied', status: 403, code: 'forbidden', ...target };
    expect(await lineOf(forbidden)).toMatchObject(denied);

    const failed = `${operation} failed`;
    const status = await request(method, path, failed, `Bearer ${token}`);
    const line = { level: 'info', actor: 'token 1', owner: 'anna', action, outcome: 'failed', status, ...target };
    expect(await lineOf(failed)).toMatchObject(line);
  },
);

test('no line of the log has a token, a query or a body', async () => {
  expect(server.process.output).toContain('"audit":true');
  expect(server.process.output).not.toMatch(/0123456789abcdef|-secret/);
});

test.each([
  ['GET', '/media/in/sealed-token/hls/main.m3u8', { action: 'file.download', target: 'in/*/hls/main.m3u8' }],
  ['GET', '/media/zip/sealed-ticket', { action: 'file.download', target: 'zip/*' }],
  ['GET', '/media/talks/a%20b.mp3', { action: 'file.download', target: 'talks/a b.mp3' }],
  ['HEAD', '/media/talks/a%20b.mp3', undefined],
  ['POST', '/API/runs/a%2Fb/cancel/', { action: 'run.cancel', target: 'a/b' }],
  ['POST', '/api/runs/%/cancel', { action: 'run.cancel', target: '%' }],
  ['PATCH', '/api/uploads/a', undefined],
  ['DELETE', '/api/uploads/s3/a', { action: 'upload.delete', target: 'a' }],
  ['POST', '/api/limiters/openai/whisper-1/set', { action: 'limiter.set', target: 'openai/whisper-1' }],
  ['GET', '/api/runs', undefined],
  ['POST', '/api/nothing', undefined],
])('names the action and the target of %s %s', (method, path, action) => {
  expect(auditedAction(method, path)).toEqual(action);
});
