import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { expect, test } from 'vitest';
import packageFacts from '../../../package.json' with { type: 'json' };
import { useService } from './support.ts';

const service = await useService();

async function slot(lease: string, known?: string) {
  const { container } = service;
  return container.call('GET', `/slot?lease=${lease}${known === undefined ? '' : `&known=${known}`}`);
}

/** Waits until the abandoned leases of the previous test are gone. */
async function untilGranted(lease: string): Promise<void> {
  let { state } = (await slot(lease)).body;
  while (state !== 'granted') ({ state } = (await slot(lease, state)).body);
}

async function submit(lease?: string) {
  const body = service.encodeOf(service.never, 'leased');
  const headers = lease === undefined ? {} : { 'holdfast-lease': lease };
  return service.container.call('POST', '/encode', body, { prefer: 'respond-async', ...headers });
}

test('grants the second lease when the job of the first has ended', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const { container } = service;
  const { instanceId } = await container.health();
  const { version } = packageFacts;
  await untilGranted(first);
  expect((await slot(first)).body).toEqual({ state: 'granted', instanceId, version });
  // A held request keeps its turn.
  const kept = slot(first, 'granted');
  expect((await slot(second)).body).toEqual({ state: 'waiting', instanceId, version });
  const early = await submit(second);
  expect(early.status).toBe(409);
  expect(early.body).toMatchObject({ success: false, code: 'lease_ended' });

  const admitted = await submit(first);
  expect(admitted.status).toBe(202);
  expect(admitted.headers['holdfast-instance']).toBe(instanceId);
  const turn = slot(second, 'waiting');
  await container.call('DELETE', `/jobs/${admitted.body.jobId}`);
  expect((await turn).body.state).toBe('granted');
  await kept;
  // The lease has been used.
  expect((await submit(first)).status).toBe(409);
  expect((await submit(second)).status).toBe(202);
});

test('gives a free slot to a request without a lease, and lets the granted lease wait again', async () => {
  const lease = randomUUID();
  await untilGranted(lease);
  const told = slot(lease, 'granted');
  expect((await submit()).status).toBe(202);
  expect((await told).body.state).toBe('taken');
  expect((await submit(lease)).status).toBe(409);
});

test('frees the lease of a disconnected worker', async () => {
  const [gone, next] = [randomUUID(), randomUUID()];
  await untilGranted(gone);
  const abort = new AbortController();
  const held = request(`${service.container.url}/slot?lease=${gone}&known=granted`, { signal: abort.signal });
  held.catch(() => {});
  expect((await slot(next)).body.state).toBe('waiting');
  const turn = slot(next, 'waiting');
  abort.abort();
  expect((await turn).body.state).toBe('granted');
});

test('rejects an invalid lease', async () => {
  expect((await slot('short')).status).toBe(400);
  expect((await slot(randomUUID(), 'maybe')).status).toBe(400);
});

test.each([
  [2000, 200],
  [2001, 400],
])('answers a line of %i characters of a foreign script with %i', async (characters, status) => {
  const line = encodeURIComponent('線'.repeat(characters));
  expect(await service.container.call('GET', `/slot?lease=${randomUUID()}&line=${line}`)).toMatchObject({ status });
});
