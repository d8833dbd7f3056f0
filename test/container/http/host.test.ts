import { request } from 'node:http';
import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { useService } from './support.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const service = useService();

const [withToken, onAll] = await Promise.all([
  stopAfterAll(TestContainer.start({ CONTAINER_TOKEN: 'secret' })),
  stopAfterAll(TestContainer.start({ HOST: '0.0.0.0' })),
]);

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
