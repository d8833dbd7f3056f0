import { afterEach, expect, test } from 'vitest';
import {
  answer,
  chunkResult,
  errorAnswer,
  jobView,
  metadataResult,
  type Script,
  ScriptedContainer,
} from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt, until } from '../../support/attempt.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { freePort } from '../../support/ports.ts';

const containers: ScriptedContainer[] = [];
afterEach(async () => {
  await Promise.all(containers.splice(0).map(async (container) => await container.stop()));
});

/** A container that inspects the source in the job `look-1` and cuts at once. */
async function startLooking(script: Script): Promise<ScriptedContainer> {
  const container = await ScriptedContainer.start((request, index) => {
    if (request.path === '/chunk') return answer(200, chunkResult(3));
    if (request.path === '/metadata') return answer(202, { success: true, jobId: 'look-1', state: 'running' });
    return script(request, index);
  });
  containers.push(container);
  return container;
}

const look = (more: object) => jobView(1, { jobId: 'look-1', kind: 'metadata', phase: 'download', ...more });
const looking = look({});
const looked = look({ state: 'succeeded', endedAt: '2026-01-01T00:00:01.000Z', result: metadataResult });
const prefix = { uploadUrlPrefix: 'file:///out/' };
const cut = { totalChunks: 3 };

test('inspects a source in a followed job with its own key', async () => {
  const container = await startLooking(({ path }, index) => {
    if (path.endsWith('/events')) return { kind: 'events', items: [looking] };
    return answer(200, index === 0 ? looking : looked);
  });
  const attempt = new TestAttempt(container.url);
  expect(await attempt.chunk(prefix)).toMatchObject(cut);
  const [asked, ...others] = container.requestsTo('POST', '/metadata');
  expect(others).toEqual([]);
  expect(asked?.headers).toMatchObject({ prefer: 'respond-async', 'idempotency-key': 'run:encode:metadata' });
  expect(attempt.recorded.some(({ state }) => state.probing?.jobId === 'look-1')).toBe(true);
  expect(container.requestsTo('POST', '/chunk')[0]?.body.chunks).toHaveLength(3);
});

test('a worker that takes over re-attaches to the running inspection', async () => {
  const container = await startLooking(() => answer(200, looked));
  const probing = { containerUrl: container.url, jobId: 'look-1' };
  const attempt = new TestAttempt(container.url, { context: { state: { probing } } });
  expect(await attempt.chunk(prefix)).toMatchObject(cut);
  expect(container.requestsTo('POST', '/metadata')).toEqual([]);
});

const inStore = { sourceUrl: 's3://media/a.mp3' };
const expired = { status: 403, storeCode: 'ExpiredToken' };

test('a worker that takes over renews our URL if it expires during the inspection', async () => {
  const ends = [looked, look({ state: 'failed', error: { error: 'no', code: 'source_not_found', details: expired } })];
  const container = await startLooking((_, index) => answer(200, ends[index] ?? looked));
  const lost = new TestAttempt(container.url, { stores: fakeStores() });
  await lost.chunk({ ...prefix, ...inStore });
  const [state] = lost.recorded.flatMap((heartbeat) => (heartbeat.state.probing === undefined ? [] : heartbeat.state));
  const attempt = new TestAttempt(container.url, { stores: fakeStores(), context: { state: state ?? {} } });
  expect(await attempt.chunk({ ...prefix, ...inStore })).toMatchObject(cut);
  expect(container.requestsTo('POST', '/metadata')).toHaveLength(2);
});

test('retries like a lost connection if our URL expires while a known source is compared', async () => {
  const container = await ScriptedContainer.start(() => errorAnswer(422, 'source_not_found', expired));
  containers.push(container);
  const attempt = new TestAttempt(container.url, { stores: fakeStores() });
  const failure = await failureOf(attempt.encode({ ...inStore, unlessSource: { size: 1_000, validator: '"v1"' } }));
  expect(failure).toMatchObject({ type: 'ConnectionError', facts: { code: 'credentials_unavailable' } });
});

test('restarts an inspection that its container has lost', async () => {
  const container = await startLooking(({ path }) =>
    path === '/jobs/look-0' ? errorAnswer(404, 'not_found') : answer(200, looked),
  );
  const probing = { containerUrl: container.url, jobId: 'look-0' };
  const attempt = new TestAttempt(container.url, { context: { state: { probing } } });
  expect(await attempt.chunk(prefix)).toMatchObject(cut);
  expect(container.requestsTo('POST', '/metadata')).toHaveLength(1);
});

test('restarts an inspection on another container and remembers the unreachable one', async () => {
  const container = await startLooking(() => answer(409, { success: false, error: 'no', code: 'lease_ended' }));
  const probing = { containerUrl: `http://127.0.0.1:${await freePort()}`, jobId: 'look-0' };
  const attempt = new TestAttempt(container.url, { context: { state: { probing } } });
  const { facts } = await failureOf(attempt.chunk(prefix));
  expect(container.requestsTo('POST', '/metadata')).toHaveLength(1);
  expect(facts.state).toMatchObject({ former: [probing], probing: { containerUrl: container.url, jobId: 'look-1' } });
});

test('a failed inspection fails the attempt with its code and is not joined again', async () => {
  const error = { success: false, error: 'The source stopped sending.', code: 'stalled' };
  const container = await startLooking(() => answer(200, look({ state: 'failed', error })));
  const { type, facts } = await failureOf(new TestAttempt(container.url).chunk(prefix));
  expect(type).toBe('ConnectionError');
  expect(facts).toMatchObject({ code: 'stalled', advanced: true });
  expect(facts.state).not.toHaveProperty('probing');
});

test('a cancelled run cancels the inspection', async () => {
  const container = await startLooking(({ path, method }, index) => {
    if (path.endsWith('/events')) return { kind: 'events', items: ['hang'] };
    if (method === 'DELETE') return answer(200, look({ state: 'cancelled' }));
    return answer(200, index === 0 ? looking : look({ state: 'cancelled' }));
  });
  const attempt = new TestAttempt(container.url);
  const ended = attempt.chunk(prefix).catch(() => {});
  await until('the inspection is followed', () => container.requestsTo('GET', '/jobs/look-1/events').length > 0);
  attempt.environment.cancel();
  await ended;
  expect(container.requestsTo('DELETE', '/jobs/look-1')).toHaveLength(1);
  expect(container.requestsTo('POST', '/chunk')).toEqual([]);
});
