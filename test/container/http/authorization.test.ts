import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const guarded = await stopAfterAll(TestContainer.start({ CONTAINER_TOKEN: 'a-token' }));

test.each(['/health', '/ready', '/'])('answers GET %s without a token', async (path) => {
  expect((await guarded.call('GET', path)).status).toBe(200);
});

test.each([
  ['GET', '/jobs', {}],
  ['POST', '/encode', {}],
  ['POST', '/chunk', { authorization: 'Bearer another' }],
  ['POST', '/metadata', { authorization: 'Bearer a-token-and-more' }],
  ['DELETE', '/jobs/x', { authorization: 'a-token' }],
  ['GET', '/nothing', { authorization: 'Basic a-token' }],
] as const)('%s %s with the headers %o is 401', async (method, path, headers) => {
  const answer = await guarded.call(method, path, method === 'POST' ? {} : undefined, headers);
  expect(answer).toMatchObject({ status: 401, body: { success: false, code: 'unauthorized' } });
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(guarded.process.output).not.toContain('a-token');
});

test('admits a request with the token, whatever the case of the scheme', async () => {
  expect((await guarded.call('GET', '/jobs', undefined, { authorization: 'bearer a-token' })).status).toBe(200);
  expect((await guarded.call('POST', '/encode', {}, { authorization: 'Bearer a-token' })).status).toBe(400);
});
