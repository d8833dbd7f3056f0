import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { useService } from './support.ts';

const service = useService();
let withToken: TestContainer;
let onAll: TestContainer;

beforeAll(async () => {
  [withToken, onAll] = await Promise.all([
    TestContainer.start({ CONTAINER_TOKEN: 'secret' }),
    TestContainer.start({ HOST: '0.0.0.0' }),
  ]);
});
afterAll(async () => {
  await Promise.all([withToken.stop(), onAll.stop()]);
});

async function ask(container: TestContainer, host: string, path = '/'): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const sent = request(`${container.url}${path}`, { headers: { host }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}

test.each([
  'localhost',
  'LOCALHOST:1',
  'a.localhost:8080',
  '127.0.0.1',
  '127.9.9.9:80',
  '[::1]:8080',
  '[::ffff:127.0.0.1]',
])('answers on loopback without a token to the host %s', async (host) => {
  expect((await ask(service.container, host)).status).toBe(200);
});

test.each([
  'evil.example',
  'evil.example:8080',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'notlocalhost',
  '169.254.169.254',
  '10.0.0.1',
  '[::2]',
  '0.0.0.0',
])('rejects the host %s on loopback without a token', async (host) => {
  for (const path of ['/', '/health', '/jobs', '/nowhere']) {
    const { status, text } = await ask(service.container, host, path);
    expect([path, status, JSON.parse(text)]).toMatchObject([path, 403, { success: false, code: 'host_forbidden' }]);
  }
});

test('answers to any host if it has a token or listens on other addresses', async () => {
  expect((await ask(withToken, 'encoder.example')).status).toBe(200);
  expect((await ask(onAll, 'encoder.example')).status).toBe(200);
});
