import { CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { accepted, answer, failedView, jobView, type ScriptedReply } from '../../fixtures/scripted-container.ts';
import { type AttemptSetup, TestAttempt, until } from '../../support/attempt.ts';
import { jobScript, useScriptedContainers } from './scripted-jobs.ts';

const startScripted = useScriptedContainers();

/** Follows a hanging job, which its container ends on DELETE. */
async function hanging(setup: AttemptSetup = {}) {
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

test('the job of a run that is terminated during a pause is ended, but not that of a run that continues', async () => {
  const [closing, open]: [AttemptSetup, AttemptSetup] = [{ isPaused: true }, { isPaused: true }];
  const [terminated, continued] = await Promise.all([hanging(closing), hanging(open)]);
  for (const { attempt, outcome } of [terminated, continued]) {
    attempt.environment.cancel('PAUSED');
    expect(await outcome).toBeInstanceOf(CancelledFailure);
  }
  closing.workflowStatus = 'TERMINATED';
  open.isPaused = false;
  await until('the job is ended', () => terminated.container.requestsTo('DELETE', '/jobs/job-1').length > 0);
  expect(continued.container.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});

test('the job of a terminated run is ended, because nobody will re-attach to it', async () => {
  const { container, attempt, outcome } = await hanging({ workflowStatus: 'TERMINATED' });
  attempt.environment.cancel('NOT_FOUND');
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test.each([
  ['ended if a new workflow has taken its id', 'another', 1],
  ['left to the run that a reset has started', 'first', 0],
])('the job of a closed run is %s', async (_what, firstRunOfOpen, ended) => {
  const firstRuns = { open: firstRunOfOpen, own: 'first' };
  const { container, attempt, outcome } = await hanging({ firstRuns });
  attempt.environment.cancel('NOT_FOUND');
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(ended);
});

/** Aborts an attempt after the container has read its request but not answered. */
async function abortedRequest(reply: ScriptedReply) {
  const { container, attempt } = await askedContainer(reply);
  const outcome = attempt.encode().then(
    () => undefined,
    (error: unknown) => error,
  );
  await until('the request has arrived', () => container.requestsTo('POST', '/encode').length > 0);
  attempt.environment.cancel('CANCELLED');
  return { container, outcome };
}

async function askedContainer(reply: ScriptedReply, setup = {}) {
  const container = await startScripted(jobScript({ post: [reply], get: [answer(200, failedView('cancelled'))] }));
  return { container, attempt: new TestAttempt(container.url, setup) };
}

test('a pending request is not aborted, and the job in its answer is ended', async () => {
  const release = Promise.withResolvers<void>();
  const { container, outcome } = await abortedRequest({ kind: 'later', after: release.promise, reply: accepted });
  release.resolve();
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test.each([
  ['ends a job that is accepted after its run was terminated', 'TERMINATED', 1],
  ['leaves a job that is accepted for an open run to the next worker', 'RUNNING', 0],
] as const)('%s', async (_what, workflowStatus, ended) => {
  const release = Promise.withResolvers<void>();
  const reply: ScriptedReply = { kind: 'later', after: release.promise, reply: accepted };
  const { container, attempt } = await askedContainer(reply, { workflowStatus });
  const submission = attempt.submit();
  await until('the request has arrived', () => container.requestsTo('POST', '/encode').length > 0);
  attempt.environment.cancel('NOT_FOUND');
  release.resolve();
  expect(await submission).toMatchObject({ kind: 'accepted' });
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(ended);
});

test('an unanswered request is aborted after a grace period', async () => {
  const { container, outcome } = await abortedRequest({ kind: 'hang' });
  expect(await outcome).toBeInstanceOf(CancelledFailure);
  const [request] = container.requestsTo('POST', '/encode');
  await until('the request is aborted', () => request?.gone.aborted === true);
  expect(container.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});
