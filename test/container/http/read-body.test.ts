import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { readBody } from '../../../container/http/read-body.ts';
import { asMediaError } from '../../../container/errors.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const mostBytes = 1000;

/** One connection for all requests. */
const connection = new Agent({ connections: 1, pipelining: 1 });
let connections = 0;

const { http, port, url } = await stopAfterAll(
  LoopbackServer.start((incoming, response) => {
    readBody(incoming, mostBytes).then(
      (body) => response.end(Buffer.from(body)),
      (error: unknown) => response.end(asMediaError(error).code),
    );
  }),
);
http.on('connection', () => (connections += 1));
afterAll(() => connection.close());

async function answerTo(body: string | Buffer, headers: Record<string, string> = {}): Promise<string> {
  const answer = await request(url, { method: 'POST', body, headers, dispatcher: connection });
  return await answer.body.text();
}

const text = 'ä'.repeat(mostBytes / 2);

test.each([
  ['plain', (given: string) => Buffer.from(given), {}],
  ['gzip', gzipSync, { 'content-encoding': 'gzip' }],
  ['deflate', deflateSync, { 'content-encoding': 'Deflate' }],
  ['br', brotliCompressSync, { 'content-encoding': 'br' }],
  ['zstd', zstdCompressSync, { 'content-encoding': 'zstd' }],
])(
  'reads a body in %s up to its limit, and refuses a longer one on the same connection',
  async (_name, encode, headers) => {
    expect(await answerTo('')).toBe('');
    const before = connections;
    expect(await answerTo(encode(text), headers)).toBe(text);
    expect(await answerTo(encode(`${text}x`), headers)).toBe('request_too_large');
    expect(await answerTo(encode(text), headers)).toBe(text);
    expect(connections).toBe(before);
  },
);

test.each([
  ['an unknown encoding', 'x', 'compress', 'unsupported_media_type'],
  ['text that is not compressed', 'x', 'gzip', 'invalid_request'],
  ['the beginning of compressed text', gzipSync(text).subarray(0, 20), 'gzip', 'invalid_request'],
])('refuses %s', async (_what, body, encoding, code) => {
  expect(await answerTo(body, { 'content-encoding': encoding })).toBe(code);
  expect(await answerTo('next')).toBe('next');
});

test.each(['identity', 'gzip'])('ends when the client of a body in %s disconnects', async (encoding) => {
  const reading = new Promise<unknown>((resolve) => {
    http.once('request', (incoming) => {
      const body = readBody(incoming, mostBytes);
      resolve(body.catch((error: unknown) => error));
      client.destroy();
    });
  });
  const client = connect(port, '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nContent-Encoding: ${encoding}\r\n\r\n`);
  expect(await reading).toMatchObject({ code: 'invalid_request' });
});
