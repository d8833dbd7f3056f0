import { CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { accepted, answer, failedView, jobView, type ScriptedReply } from '../../fixtures/scripted-container.ts';
import { TestAttempt, until } from '../../support/attempt.ts';
import { jobScript, useScriptedContainers } from './scripted-jobs.ts';

const startScripted = useScriptedContainers();

/** Follows a hanging job, which its container ends on DELETE. */
async function hanging(setup = {}) {
  let cancelled = false;
  const container = await startScripted(({ method, path }) => {
    if (method === 'POST') return accepted;
    if (method === 'DELETE') {
      cancelled = true;
      return answer(200, jobView(1));
    }
    if (path.endsWith('/events')) return { kind: 'events', items: [jobView(2), 'hang'] };
    const error = { success: false, error: 'The job was cancelled.', code: 'cancelled' };
    return answer(200, cancelled ? jobView(2, { state: 'cancelled', endedAt: 'now', error }) : jobView(1));
  });
  const attempt = new TestAttempt(container.url, setup);
  const outcome = attempt.encode().then(
    () => undefined,
    (error: unknown) => error,
  );
  await until('the job is followed', () => container.requestsTo('GET', '/jobs/job-1/events').length > 0);
  return { container, attempt, outcome };
}

test('a cancellation ends the job before it is confirmed', async () => {
  const { container, attempt, outcome } = await hanging();
  attempt.environment.cancel('CANCELLED');
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test('a worker’s shutdown leaves the job to the next worker', async () => {
  const { container, attempt, outcome } = await hanging();
  attempt.environment.cancel('WORKER_SHUTDOWN');
  expect(await outcome).toMatchObject({ type: 'WorkerShutdown', nonRetryable: false });
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});

test.each(['TIMED_OUT', 'NOT_FOUND', 'PAUSED', 'RESET'] as const)(
  '%s of an open run leaves the job to the next worker',
  async (reason) => {
    const { container, attempt, outcome } = await hanging();
    attempt.environment.cancel(reason);
    expect(await outcome).toBeInstanceOf(CancelledFailure);
    expect(container.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
  },
);

test('the job of a terminated run is ended, because nobody will re-attach to it', async () => {
  const { container, attempt, outcome } = await hanging({ workflowStatus: 'TERMINATED' });
  attempt.environment.cancel('NOT_FOUND');
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

/** Aborts an attempt after the container has read its request but not answered. */
async function abortedRequest(reply: ScriptedReply) {
  const container = await startScripted(jobScript({ post: [reply], get: [answer(200, failedView('cancelled'))] }));
  const attempt = new TestAttempt(container.url);
  const outcome = attempt.encode().then(
    () => undefined,
    (error: unknown) => error,
  );
  await until('the request has arrived', () => container.requestsTo('POST', '/encode').length > 0);
  attempt.environment.cancel('CANCELLED');
  return { container, outcome };
}

test('a pending request is not aborted, and the job in its answer is ended', async () => {
  const release = Promise.withResolvers<void>();
  const { container, outcome } = await abortedRequest({ kind: 'later', after: release.promise, reply: accepted });
  release.resolve();
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test('an unanswered request is aborted after a grace period', async () => {
  const { container, outcome } = await abortedRequest({ kind: 'hang' });
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  const [request] = container.requestsTo('POST', '/encode');
  await until('the request is aborted', () => request?.gone.aborted === true);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});
