import { request as httpRequest, type ClientRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { useService } from './support.ts';

const service = await useService();

interface UnsentBody {
  readonly status: Promise<number>;
  send(body: string): void;
  drop(): void;
}

/** Begins a request: declares the length of its body, and sends one byte. */
function beginRequest(path: string, length: number, headers: Record<string, string> = {}): UnsentBody {
  let sent: ClientRequest;
  const status = new Promise<number>((resolve, reject) => {
    sent = httpRequest(`${service.container.url}${path}`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': String(length), ...headers },
    });
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.on('error', reject);
    sent.write('{');
  });
  status.catch(() => {});
  return { status, send: (body) => void sent.end(body.slice(1)), drop: () => void sent.destroy() };
}

describe('while a job is active', () => {
  test.each(['/encode', '/chunk'])(
    'answers POST %s with 429 before its body has arrived if a job is active',
    async (path) => {
      await service.container.submit('/encode', service.encodeOf(service.never, 'busy'));
      const refused = beginRequest(path, 100_000, { 'idempotency-key': 'unknown' });
      expect(await refused.status).toBe(429);
      refused.drop();
    },
  );

  test('reads the body of a known idempotency key while a job is active', async () => {
    const body = service.encodeOf(service.never, 'known');
    const key = { 'idempotency-key': 'known', prefer: 'respond-async' };
    await service.container.submit('/encode', body, key);
    const text = JSON.stringify(body);
    const joins = beginRequest('/encode', text.length, key);
    joins.send(text);
    expect(await joins.status).toBe(202);
    const another = await service.post('/encode', service.encodeOf(service.never, 'another'), key);
    expect(another).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  test('keeps the connection of a rejected client that still sends a large body', async () => {
    await service.container.submit('/encode', service.encodeOf(service.never, 'large'));
    for (let count = 0; count < 5; count += 1) {
      expect(await service.post('/chunk', JSON.stringify('x'.repeat(3_900_000)))).toMatchObject({
        status: 429,
        headers: { 'retry-after': '10', 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' },
        body: { success: false, retryAfter: 10, activeJobs: 1 },
      });
    }
  });
});

test('reads only some large, slow bodies at a time, and still serves small requests', async () => {
  const slow = Array.from({ length: 4 }, () => beginRequest('/chunk', 4_000_000));
  // A fifth request is refused once the container knows the four.
  const refusedOne = async (): Promise<boolean> => {
    const more = beginRequest('/chunk', 4_000_000);
    const status = await Promise.race([more.status, service.container.health().then(() => 0)]);
    if (status === 0) more.drop();
    return status === 429;
  };
  await service.container.process.until('refusal', refusedOne);
  expect((await service.post('/encode', service.encodeOf(service.speech(), 'meanwhile'))).status).toBe(200);
  for (const { drop } of slow) drop();
  const chunk = { sourceUrl: service.speech(), chunks: [{ index: 0, uploadUrl: service.out('after') }] };
  const isRead = async (): Promise<boolean> => (await service.post('/chunk', chunk)).status === 200;
  await service.container.process.until('body that is read', isRead);
});
