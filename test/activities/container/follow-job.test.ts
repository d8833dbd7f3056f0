import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Attempt } from '../../../activities/container/attempt.ts';
import { ContainerClient } from '../../../activities/container/client.ts';
import { untilJobEnded } from '../../../activities/container/job-end.ts';
import {
  answer,
  drop,
  encodedOutput,
  encodeResult,
  errorAnswer,
  failedView,
  jobView,
  type ScriptedReply,
  source,
  succeededView,
} from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { freePort } from '../../support/ports.ts';
import { jobScript, notFound, running, useScriptedContainers } from './scripted-jobs.ts';

const startScripted = useScriptedContainers();

const result = { outputs: [encodedOutput], source };

test('learns the end of a job from its event stream and reports the job’s location to the server', async () => {
  const items = [jobView(2), 20, jobView(2, { percent: 25 }), jobView(2), jobView(3), succeededView];
  const container = await startScripted(jobScript({ events: [{ kind: 'events', items }] }));
  const attempt = new TestAttempt(container.url, { token: 'secret' });
  expect(await attempt.encode()).toEqual(result);
  // The stream saves the poll that would follow a second later.
  expect(container.requestsTo('GET', '/jobs/job-1')).toHaveLength(1);

  const [post] = container.requestsTo('POST', '/encode');
  expect(post?.headers).toMatchObject({
    prefer: 'respond-async',
    'idempotency-key': 'run:encode',
    authorization: 'Bearer secret',
  });
  const location = { containerUrl: container.url, jobId: 'job-1' };
  const states = attempt.heartbeats.map(({ state }) => state);
  // Each heartbeat repeats after a second.
  expect(states.filter((state, index) => !isDeepStrictEqual(state, states[index - 1]))).toEqual([
    {},
    { asked: { containerUrl: container.url } },
    { location },
  ]);
  expect(attempt.signals[0]).toEqual({ step: 'encode', location, phase: 'encode', percent: 10 });
});

test('accepts a complete result from a container that holds requests', async () => {
  const container = await startScripted(jobScript({ post: [answer(200, encodeResult)] }));
  const attempt = new TestAttempt(container.url);
  expect(await attempt.encode()).toEqual(result);
  expect(attempt.signals).toEqual([]);
});

test('requests the job after its event stream breaks', async () => {
  const container = await startScripted(
    jobScript({
      get: [running, running, answer(200, succeededView)],
      events: [{ kind: 'events', items: [jobView(2), 'drop'] }],
    }),
  );
  expect(await new TestAttempt(container.url).encode()).toEqual(result);
  expect(container.requestsTo('POST', '/encode')).toHaveLength(1);
});

test('polls the job if there is no event stream', async () => {
  const container = await startScripted(
    jobScript({ get: [running, answer(200, succeededView)], events: [answer(200, { no: 'stream' })] }),
  );
  expect(await new TestAttempt(container.url).encode()).toEqual(result);
  expect(container.requestsTo('GET', '/jobs/job-1')).toHaveLength(2);
});

test('fails with a connection error and the job’s location if its container is gone', async () => {
  const container = await startScripted(
    jobScript({ get: [running, drop], events: [{ kind: 'events', items: [jobView(2), 'drop'] }] }),
  );
  const failure = await failureOf(new TestAttempt(container.url).encode());
  expect(failure).toMatchObject({ type: 'ConnectionError', message: 'Container disconnected' });
  expect(failure.facts.state).toEqual({ location: { containerUrl: container.url, jobId: 'job-1' } });
  expect(failure.facts.advanced).toBe(true);
});

test('fails with a connection error if a restarted container has forgotten the job', async () => {
  const container = await startScripted(jobScript({ get: [running, notFound] }));
  const failure = await failureOf(new TestAttempt(container.url).encode());
  expect(failure).toMatchObject({
    type: 'ConnectionError',
    message: 'Job was lost by a restarted container',
    facts: { state: {} },
  });
});

test.each([
  ['undecodable_source', 'UndecodableSource'],
  ['stalled', 'ConnectionError'],
  ['draining', 'ConnectionError'],
])('a job that fails with %s fails the attempt as %s', async (code, type) => {
  const container = await startScripted(jobScript({ get: [answer(200, failedView(code))] }));
  const failure = await failureOf(new TestAttempt(container.url).encode());
  expect(failure).toMatchObject({ type, message: `It went wrong: ${code}.`, facts: { code, state: {} } });
});

test('cancels the workflow if the job was cancelled at its container', async () => {
  const error = { success: false, error: 'The job was cancelled.', code: 'cancelled' };
  const view = jobView(5, { state: 'cancelled', endedAt: '2026-01-01T00:01:00.000Z', error });
  const container = await startScripted(jobScript({ get: [answer(200, view)] }));
  const attempt = new TestAttempt(container.url);
  expect(await failureOf(attempt.encode())).toMatchObject({ type: 'Cancelled' });
  expect(attempt.workflowCancelled).toBe(true);
});

test('rejects a success whose body does not match the contract', async () => {
  const container = await startScripted(
    jobScript({ post: [answer(200, { success: true, jobId: 'job-1', outputs: 'many' })] }),
  );
  expect(await failureOf(new TestAttempt(container.url).encode())).toMatchObject({ type: 'UnexpectedReply' });
});

test('keeps no job location if the container is busy or refuses the connection', async () => {
  const container = await startScripted(jobScript({ post: [answer(429, { error: 'Busy.', retryAfter: 10 })] }));
  const attempt = new TestAttempt(container.url);
  expect(await failureOf(attempt.encode())).toMatchObject({
    type: 'RateLimited',
    facts: { retryAfterSeconds: 10, state: {} },
  });
  expect(attempt.signals).toEqual([]);
  const gone = `http://127.0.0.1:${await freePort()}`;
  expect(await failureOf(new TestAttempt(gone).encode())).toMatchObject({
    type: 'ConnectionError',
    facts: { errno: 'ECONNREFUSED', state: {} },
  });
});

test('keeps the container of a request whose answer was lost, because it may have arrived', async () => {
  const container = await startScripted(jobScript({ post: [drop] }));
  const { facts } = await failureOf(new TestAttempt(container.url).encode());
  expect(facts.state).toEqual({ asked: { containerUrl: container.url } });
});

const succeeding = { get: [answer(200, succeededView)] };

test('a worker that takes over continues to count the job’s lost time', async () => {
  const container = await startScripted(jobScript({ get: [running, drop], events: [notFound] }));
  const location = { containerUrl: container.url, jobId: 'job-1' };
  const lost = { state: { location }, ranMs: 60_000, advances: 1, advanced: true };
  const { facts } = await failureOf(new TestAttempt(container.url, { heartbeatDetails: lost }).follow(location));
  expect(facts.ranMs).toBeGreaterThanOrEqual(60_000);
});

test('counts only the time after the job’s last advance as lost', async () => {
  const container = await startScripted(jobScript({ get: [answer(200, jobView(2)), drop], events: [notFound] }));
  const location = { containerUrl: container.url, jobId: 'job-1' };
  const lost = { state: { location }, ranMs: 60_000, advances: 1, advanced: true };
  const { facts } = await failureOf(new TestAttempt(container.url, { heartbeatDetails: lost }).follow(location));
  expect(facts).toMatchObject({ advanced: true });
  expect(facts.ranMs).toBeLessThan(60_000);
});

test('ends a job that has not advanced for half an hour, and counts that time as lost', async () => {
  const container = await startScripted(jobScript({ get: [running, answer(200, failedView('cancelled'))] }));
  const location = { containerUrl: container.url, jobId: 'job-1' };
  const silent = { state: { location }, ranMs: 1_800_000, advances: 1, advanced: true };
  const failure = await failureOf(new TestAttempt(container.url, { heartbeatDetails: silent }).follow(location));
  expect(failure).toMatchObject({ type: 'ConnectionError', message: 'The job has not advanced for 30 minutes' });
  expect(failure.facts).toMatchObject({ code: 'stalled', state: {} });
  expect(failure.facts.ranMs).toBeGreaterThanOrEqual(1_800_000);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test('asks for a job whose event stream sends no views', async () => {
  const events: ScriptedReply[] = [{ kind: 'events', items: ['hang'] }];
  const container = await startScripted(jobScript({ get: [running, answer(200, succeededView)], events }));
  const location = { containerUrl: container.url, jobId: 'job-1' };
  const attempt = { signal: new AbortController().signal, ranMs: () => 0 } as Attempt;
  const client = new ContainerClient(container.url, undefined);
  const job = { container: client, location, attempt, onView: () => {}, silentStreamMs: 20 };
  expect(await untilJobEnded(job)).toMatchObject({ state: 'succeeded' });
});

test('if only the container is known, repeats the request there with its key, which starts no new job', async () => {
  const theirs = await startScripted(jobScript(succeeding));
  const own = await startScripted(jobScript({}));
  const asked = { containerUrl: theirs.url };
  await new TestAttempt(own.url, { context: { state: { asked } }, lease: 'lease-of-own' }).encode();
  const [request] = theirs.requestsTo('POST', '/encode');
  expect(request?.headers).toMatchObject({ 'idempotency-key': 'run:encode', 'holdfast-lease': 'lease-of-own' });
  expect(own.requests).toEqual([]);
});

test.each<[string, ScriptedReply]>([
  ['does not know the job', errorAnswer(409, 'lease_ended')],
  ['is gone', drop],
])('submits to its own container if the earlier one %s', async (_, reply) => {
  const theirs = await startScripted(jobScript({ post: [reply] }));
  const own = await startScripted(jobScript(succeeding));
  const asked = { containerUrl: theirs.url };
  expect(await new TestAttempt(own.url, { context: { state: { asked } } }).encode()).toEqual(result);
  expect(own.requestsTo('POST', '/encode')).toHaveLength(1);
});

test('an answer of another process at the job’s address means that the job is lost', async () => {
  const other: ScriptedReply = answer(200, jobView(3), { 'holdfast-instance': 'another' });
  const container = await startScripted(jobScript({ get: [other] }));
  const location = { containerUrl: container.url, instanceId: 'first', jobId: 'job-1' };
  const failure = await failureOf(new TestAttempt(container.url).follow(location));
  expect(failure).toMatchObject({ type: 'ConnectionError', message: 'Job was lost by a restarted container' });
  expect(failure.facts.state).toEqual({});
});

test('finds the job’s own process behind a load balancer', async () => {
  const [own, other] = ['first', 'another'].map((instance) => ({ 'holdfast-instance': instance }));
  const container = await startScripted(({ path }, index) => {
    if (path.endsWith('/events')) return notFound;
    // The balancer sends every third request to the job's container, which has finished the job meanwhile.
    if (index % 3 < 2) return errorAnswer(404, 'not_found', undefined, other);
    return answer(200, succeededView, own);
  });
  const location = { containerUrl: container.url, instanceId: 'first', jobId: 'job-1' };
  expect(await new TestAttempt(container.url).follow(location)).toMatchObject({ jobId: 'job-1' });
});

test('leaves a loopback address of another machine to a worker there', async () => {
  const container = await startScripted(jobScript({}));
  const location = { containerUrl: container.url, machine: 'elsewhere', jobId: 'job-1' };
  const failure: unknown = await new TestAttempt(container.url).follow(location).catch((error: unknown) => error);
  expect(failure).toMatchObject({ type: 'OtherMachine', nonRetryable: false });
  // Owners read the message.
  expect(failure.message).not.toMatch(/elsewhere|http/);
  expect(container.requests).toEqual([]);
});
