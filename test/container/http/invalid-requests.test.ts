import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { ErrorBody } from '../../../contract/http/error.ts';
import { useService } from './support.ts';

const service = await useService();

describe('invalid requests', () => {
  const output = () => ({ format: 'mp3_64', uploadUrl: service.out('invalid') });
  const chunk = (index: number) => ({ index, uploadUrl: service.out('invalid') });

  test.each([
    ['no source', '/encode', () => ({ outputs: [output()] }), ['sourceUrl']],
    ['a source that is no text', '/encode', () => ({ sourceUrl: 5, outputs: [output()] }), ['sourceUrl']],
    ['no URL', '/encode', () => ({ sourceUrl: 'speech.wav', outputs: [output()] }), ['sourceUrl']],
    [
      'a very long URL',
      '/encode',
      () => ({ sourceUrl: `http://a/${'x'.repeat(9000)}`, outputs: [output()] }),
      ['sourceUrl'],
    ],
    ['no outputs', '/encode', () => ({ sourceUrl: service.speech() }), ['outputs']],
    ['empty outputs', '/encode', () => ({ sourceUrl: service.speech(), outputs: [] }), ['outputs']],
    [
      'nine outputs',
      '/encode',
      () => ({ sourceUrl: service.speech(), outputs: Array.from({ length: 9 }, output) }),
      ['outputs'],
    ],
    ['an unknown field', '/encode', () => ({ sourceUrl: service.speech(), outputs: [output()], speed: 2 }), []],
    [
      'an unknown field within',
      '/encode',
      () => ({ sourceUrl: service.speech(), outputs: [{ ...output(), bitrate: 64 }] }),
      ['outputs', 0],
    ],
    [
      'an option as format',
      '/encode',
      () => ({ sourceUrl: service.speech(), outputs: [{ ...output(), format: '-f' }] }),
      ['outputs', 0, 'format'],
    ],
    [
      'a format in capitals',
      '/encode',
      () => ({ sourceUrl: service.speech(), outputs: [{ ...output(), format: 'MP3_64' }] }),
      ['outputs', 0, 'format'],
    ],
    [
      'half a channel',
      '/encode',
      () => ({ sourceUrl: service.speech(), outputs: [{ ...output(), channels: 1.5 }] }),
      ['outputs', 0, 'channels'],
    ],
    [
      'no channels',
      '/encode',
      () => ({ sourceUrl: service.speech(), outputs: [{ ...output(), channels: 0 }] }),
      ['outputs', 0, 'channels'],
    ],
    [
      'a rate as text',
      '/encode',
      () => ({ sourceUrl: service.speech(), outputs: [{ ...output(), sampleRate: '44100' }] }),
      ['outputs', 0, 'sampleRate'],
    ],
    [
      'a hash that is none',
      '/encode',
      () => ({ sourceUrl: service.speech(), sourceSha256: 'abc', outputs: [output()] }),
      ['sourceSha256'],
    ],
    ['a list', '/encode', () => [], []],
    ['no chunks', '/chunk', () => ({ sourceUrl: service.speech(), chunks: [] }), ['chunks']],
    [
      'as much overlap as chunk',
      '/chunk',
      () => ({ sourceUrl: service.speech(), chunkDuration: 5, overlapDuration: 5, chunks: [chunk(0)] }),
      ['overlapDuration'],
    ],
    [
      'more overlap than the chunk',
      '/chunk',
      () => ({ sourceUrl: service.speech(), chunkDuration: 1, chunks: [chunk(0)] }),
      ['overlapDuration'],
    ],
    [
      'negative overlap',
      '/chunk',
      () => ({ sourceUrl: service.speech(), overlapDuration: -1, chunks: [chunk(0)] }),
      ['overlapDuration'],
    ],
    [
      'a chunk of nothing',
      '/chunk',
      () => ({ sourceUrl: service.speech(), chunkDuration: 0, overlapDuration: 0, chunks: [chunk(0)] }),
      ['chunkDuration'],
    ],
    [
      'indexes out of order',
      '/chunk',
      () => ({ sourceUrl: service.speech(), chunks: [chunk(1), chunk(0)] }),
      ['chunks'],
    ],
    [
      'a gap in the indexes',
      '/chunk',
      () => ({ sourceUrl: service.speech(), chunks: [chunk(0), chunk(2)] }),
      ['chunks'],
    ],
    ['an index twice', '/chunk', () => ({ sourceUrl: service.speech(), chunks: [chunk(0), chunk(0)] }), ['chunks']],
    [
      'one target twice, signatures aside',
      '/encode',
      () => ({
        sourceUrl: service.speech(),
        outputs: [
          { format: 'wav', uploadUrl: 'https://store.test/a?X-Amz-Signature=1&part=2' },
          { format: 'flac', uploadUrl: 'https://STORE.test/a?part=2&X-Amz-Signature=2' },
        ],
      }),
      ['outputs'],
    ],
    [
      'one target of two chunks',
      '/chunk',
      () => ({ sourceUrl: service.speech(), chunks: [chunk(0), { ...chunk(0), index: 1 }] }),
      ['chunks'],
    ],
    ['metadata of nothing', '/metadata', () => ({}), ['sourceUrl']],
    ['null', '/encode', () => null, []],
    ['a number', '/chunk', () => 1, []],
    [
      'a forbidden scheme beside what is not valid',
      '/encode',
      () => ({ sourceUrl: 'ftp://media.test/x', outputs: [] }),
      ['outputs'],
    ],
  ])('rejects %s with the issues', async (_what, path, body, issuePath) => {
    const answer = await service.post(path, body());
    expect(answer.status).toBe(400);
    expect(ErrorBody.parse(answer.body).code).toBe('invalid_request');
    expect(answer.body.details.issues.map((issue: { path: unknown }) => issue.path)).toContainEqual(issuePath);
    expect(await service.container.health()).toMatchObject({ activeJobs: 0 });
  });

  test.each([
    ['half a JSON', '{"sourceUrl":', 400, 'invalid_request', {}],
    ['a lone string', '"x"', 400, 'invalid_request', {}],
    ['nothing at all', '', 400, 'invalid_request', {}],
    ['text', 'x', 415, 'unsupported_media_type', { 'content-type': 'text/plain' }],
    ['a form', 'a=b', 415, 'unsupported_media_type', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', '{}', 415, 'unsupported_media_type', { 'content-type': 'application/json; charset=koi9' }],
    ['UTF-16', '{}', 415, 'unsupported_media_type', { 'content-type': 'application/json;a=b; charset="utf-16"' }],
    ['an unknown encoding', '{}', 415, 'unsupported_media_type', { 'content-encoding': 'compress' }],
    ['no gzip under gzip', 'x', 400, 'invalid_request', { 'content-encoding': 'gzip' }],
    ['seventeen megabytes', JSON.stringify('x'.repeat(17e6)), 413, 'request_too_large', {}],
  ])('rejects %s by its own code', async (_what, body, status, code, headers) => {
    const answer = await service.post('/encode', body, headers);
    expect(answer).toMatchObject({ status, body: { success: false, code } });
  });
});

test.each([
  ['GET', '/nothing'],
  ['POST', '/nothing'],
  ['DELETE', '/jobs/a/b'],
] as const)('answers %s %s with a JSON 404 that lists the endpoints', async (method, path) => {
  const answer = await service.container.call(method, path, method === 'POST' ? '{' : undefined);
  expect(answer).toMatchObject({ status: 404, body: { success: false, code: 'not_found' } });
  expect(answer.body.details.endpoints).toEqual(expect.arrayContaining(['GET /', 'POST /encode', 'DELETE /jobs/:id']));
});

test.each([
  ['GET', '/encode', 'POST'],
  ['DELETE', '/health', 'GET, HEAD'],
  ['POST', '/jobs/some-id', 'GET, HEAD, DELETE'],
] as const)('answers %s %s with 405 and the allowed methods', async (method, path, allow) => {
  const answer = await service.container.call(method, path);
  expect(answer).toMatchObject({ status: 405, body: { success: false, code: 'method_not_allowed' } });
  expect(answer.headers['allow']).toBe(allow);
});

test('answers HEAD as GET without a body, and OPTIONS with the allowed methods', async () => {
  const head = await request(`${service.container.url}/health`, { method: 'HEAD' });
  expect([head.statusCode, await head.body.text()]).toEqual([200, '']);
  for (const [path, allow] of [
    ['/encode', 'POST'],
    ['/chunk', 'POST'],
    ['/jobs', 'GET'],
  ]) {
    const options = await request(`${service.container.url}${path}`, { method: 'OPTIONS' });
    expect(options.statusCode).toBeLessThan(300);
    expect(options.headers['allow']).toContain(allow);
  }
});

test('answers a path that cannot be decoded with 400', async () => {
  expect(await service.container.call('GET', '/jobs/%')).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
});
