import { request } from 'undici';
import { expect, test } from 'vitest';
import { TestServer } from '../../support/server.ts';

test('a connection is kept for longer than load balancers keep theirs', async () => {
  // It is answered without Temporal.
  const server = await TestServer.start({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  try {
    const { headers, body } = await request(`${server.url}/health`);
    await body.dump();
    expect(headers['keep-alive']).toBe('timeout=75');
  } finally {
    await server.stop();
  }
});
