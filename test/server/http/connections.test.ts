import { request } from 'undici';
import { expect, test } from 'vitest';
import { TestServer } from '../../support/server.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

test('keeps idle connections longer than load balancers do', async () => {
  // The request does not need Temporal.
  const server = await stopAfterTest(TestServer.start({ TEMPORAL_ADDRESS: '127.0.0.1:1' }));
  const { headers, body } = await request(`${server.url}/health`);
  await body.dump();
  expect(headers['keep-alive']).toBe('timeout=75');
});
