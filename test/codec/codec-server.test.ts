import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultPayloadConverter } from '@temporalio/common';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCodecServer } from '../../codec/codec-server.ts';
import { EncryptionCodec } from '../../codec/encryption-codec.ts';
import { readPayloadKeys } from '../../codec/payload-keys.ts';

const keys = readPayloadKeys({ key: randomBytes(32).toString('base64'), file: undefined });
if (keys === undefined) throw new Error('unreachable');
const codec = new EncryptionCodec(keys);
const origin = 'http://127.0.0.1:8233';
const payload = {
  metadata: { encoding: Buffer.from('json/plain').toString('base64') },
  data: Buffer.from('{"sourceUrl":"s3://bucket/talk.wav"}').toString('base64'),
};

let server: Server;
let url: string;
beforeAll(async () => {
  server = createCodecServer({ codec, allowedOrigins: [origin], token: 'open-sesame' }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await request(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer open-sesame', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it field by field
  return { status: answer.statusCode, headers: answer.headers, body: (await answer.body.json()) as any };
}

test('an encoded payload decodes to itself, also below a namespace, and a worker can read it', async () => {
  const sealed = await post('/encode', { payloads: [payload] });
  expect(sealed.status).toBe(200);
  expect(JSON.stringify(sealed.body)).not.toContain(payload.data);
  expect((await post('/decode', sealed.body)).body).toEqual({ payloads: [payload] });
  expect((await post('/default/decode', sealed.body)).body).toEqual({ payloads: [payload] });

  const [inner] = await codec.encode([defaultPayloadConverter.toPayload({ a: 1 })]);
  const asJson = {
    metadata: Object.fromEntries(
      Object.entries(inner?.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
    data: Buffer.from(inner?.data ?? []).toString('base64'),
  };
  const opened = await post('/decode', { payloads: [asJson] });
  expect(Buffer.from(opened.body.payloads[0].data, 'base64').toString()).toBe('{"a":1}');
});

test('only the Web UI may ask from a browser, and nobody may without the token', async () => {
  const allowed = await post('/decode', { payloads: [payload] }, { origin });
  expect(allowed.headers['access-control-allow-origin']).toBe(origin);
  expect((await post('/decode', { payloads: [payload] }, { origin: 'http://evil.test' })).status).toBe(403);
  expect((await post('/decode', { payloads: [payload] }, { authorization: 'Bearer open-sesam' })).status).toBe(401);
  expect((await post('/decode', { payloads: [payload] }, { authorization: 'bearer open-sesame' })).status).toBe(200);
  const preflight = await request(`${url}/decode`, { method: 'OPTIONS', headers: { origin } });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers['access-control-allow-headers']).toContain('X-Namespace');
});

test('a request outside the protocol is answered with a sentence', async () => {
  expect((await post('/decode', '{')).status).toBe(400);
  expect((await post('/recode', {})).status).toBe(404);
  const sealed = await new EncryptionCodec([{ id: 'other', secret: randomBytes(32) }]).encode([
    defaultPayloadConverter.toPayload(1),
  ]);
  const foreign = sealed.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
    data: Buffer.from(data ?? []).toString('base64'),
  }));
  const answer = await post('/decode', { payloads: foreign });
  expect(answer.status).toBe(400);
  expect(answer.body.message).toMatch(/encrypted by the key other/);
});
