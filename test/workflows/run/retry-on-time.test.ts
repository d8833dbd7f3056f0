import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import {
  answer,
  busy,
  drop,
  encodedOutput,
  encodeResult,
  errorAnswer,
  source,
} from '../../fixtures/scripted-container.ts';
import { freePort } from '../../support/ports.ts';
import { encodeInput, inTurn, useInstantAttempts, useScriptedRuns } from '../../support/scripted-runs.ts';
import { expectStarts, factsOf } from './retry-starts.ts';

// These tests use the real constants on a time-skipping clock: an hour of waiting takes seconds. Runs of hundreds of
// attempts are in `retry-on-time.slow.test.ts`.

const runs = await useScriptedRuns();
const { run } = runs;

useInstantAttempts();

const ok = answer(200, encodeResult);

test('a container that is always down sees 16 attempts with backoff', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { failure, history, log } = await run(url);
  const starts = [0, 10, 30, 70, 150, 310, 610, 910, 1210, 1510, 1810, 2110, 2410, 2710, 3010, 3310];
  expectStarts(history, starts);
  expect(failure?.type).toBe('RetryBudgetExhausted');
  expect(factsOf(failure)).toEqual({
    lastError: { type: 'ConnectionError', message: 'Container disconnected' },
    attempts: 16,
    rateLimitHits: 0,
    connectionErrors: 16,
    elapsedSeconds: 3310,
    containerUrl: url,
  });
  expect(failure?.message).toMatch(/: the container could not be reached 16 times\. .* Container disconnected$/);
  expect(log).toContain('Retryable error on attempt 4: Container disconnected. Retrying in 80s... (3530s left)');
});

test('counts only connection errors for the backoff of a container that is busy and down in turn', async () => {
  const { result, history, log } = await run(inTurn(busy(), busy(), drop, drop, drop, ok));
  expectStarts(history, [0, 10, 20, 30, 50, 90]);
  expect(history.summariesOf('encode')).toEqual(
    [1, 2, 3, 4, 5, 6].map((attempt) => `Attempt ${attempt}: encode mp3_128`),
  );
  expect(result).toEqual({
    outputs: [encodedOutput],
    source,
    attempts: 6,
    rateLimitHits: 2,
    connectionErrors: 3,
    elapsedSeconds: 90,
  });
  expect(log).toEqual([
    'Encoding attempt 1 for format mp3_128 (0s elapsed)',
    'Rate limited on attempt 1. Retrying after 10s...',
    'Encoding attempt 2 for format mp3_128 (10s elapsed)',
    'Rate limited on attempt 2. Retrying after 10s...',
    'Encoding attempt 3 for format mp3_128 (20s elapsed)',
    'Retryable error on attempt 3: Container disconnected. Retrying in 10s... (3580s left)',
    'Encoding attempt 4 for format mp3_128 (30s elapsed)',
    'Retryable error on attempt 4: Container disconnected. Retrying in 20s... (3570s left)',
    'Encoding attempt 5 for format mp3_128 (50s elapsed)',
    'Retryable error on attempt 5: Container disconnected. Retrying in 40s... (3550s left)',
    'Encoding attempt 6 for format mp3_128 (90s elapsed)',
  ]);
  const keys = runs.container?.requestsTo('POST', '/encode').map((request) => request.headers['idempotency-key']);
  expect(new Set(keys).size).toBe(1);
});

test('waits 7 s and 61 s for a retryAfter of 7 and 61, with the reason on the timers', async () => {
  const { history } = await run(inTurn(busy(7), busy(61), ok));
  expect(history.timerSeconds()).toEqual([7, 61]);
  expect(history.timerSummaries()).toEqual([
    expect.stringMatching(/^Rate limited: waiting 7 s, until \d\d:\d\d:\d\dZ$/),
    expect.stringMatching(/^Rate limited: waiting 61 s, until \d\d:\d\d:\d\dZ$/),
  ]);
});

test('reads Retry-After if the body has no retryAfter: seconds, or a date by the container’s clock', async () => {
  const headerOnly = (headers: Record<string, string>) => answer(429, 'slow down', headers);
  const { history } = await run(
    inTurn(
      headerOnly({ 'retry-after': '25' }),
      headerOnly({ 'retry-after': 'Wed, 21 Oct 2026 07:28:42 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }),
      busy(13, { 'retry-after': '25' }),
      headerOnly({}),
      ok,
    ),
  );
  expect(history.timerSeconds()).toEqual([25, 42, 13, 10]);
});

test('an invalid retryAfter neither hangs nor spins', async () => {
  const { history } = await run(
    inTurn(busy(-5), busy(null), busy('NaN'), busy(0), answer(429, '{"retryAfter":1e999}'), busy(0.001), ok),
  );
  expect(history.timerSeconds()).toEqual([10, 10, 10, 1, 10, 1]);
});

test('a retryAfter of a week exhausts the budget at once', async () => {
  const { failure, history } = await run(() => busy(604_800));
  expect(failure?.type).toBe('RetryBudgetExhausted');
  expect(factsOf(failure)).toMatchObject({ attempts: 1, rateLimitHits: 1, elapsedSeconds: 0 });
  expect(history.timerSeconds()).toEqual([]);
});

test('502, 503 and 504 back off, whoever answers, and a 503 with a longer Retry-After waits that long', async () => {
  const { history, log } = await run(
    inTurn(
      answer(502, '<html>Bad gateway</html>', { 'content-type': 'text/html', 'retry-after': '400' }),
      errorAnswer(504, 'stalled'),
      answer(503, { success: false, error: 'The container is draining.', code: 'draining' }, { 'retry-after': '45' }),
      answer(503, undefined, { 'retry-after': '5' }),
      ok,
    ),
  );
  expect(history.timerSeconds()).toEqual([10, 20, 45, 80]);
  expect(log.filter((line) => line.startsWith('Retryable'))).toEqual([
    'Retryable error on attempt 1: A proxy answered instead of the container: HTTP 502 (text/html). Retrying in 10s... (3600s left)',
    'Retryable error on attempt 2: It went wrong: stalled. Retrying in 20s... (3590s left)',
    'Retryable error on attempt 3: The container is draining. Retrying in 45s... (3570s left)',
    'Retryable error on attempt 4: A proxy answered instead of the container: HTTP 503 (application/json). Retrying in 80s... (3525s left)',
  ]);
});

test('a fatal answer fails at once under its own type', async () => {
  const { failure, history } = await run(inTurn(errorAnswer(422, 'undecodable_source', { reason: 'no audio' })));
  expect(failure).toMatchObject({
    type: 'UndecodableSource',
    message: 'It went wrong: undecodable_source.',
    nonRetryable: true,
  });
  expect(factsOf(failure)).toMatchObject({ attempts: 1, code: 'undecodable_source', details: { reason: 'no audio' } });
  expect(history.startsOf('encode')).toHaveLength(1);
});

test('the input can override the retry policy', async () => {
  const retry = { maxRetryTime: 20, baseDelay: 2, maxDelay: 3, retryBuffer: 1 };
  const { failure, history } = await run(`http://127.0.0.1:${await freePort()}`, { ...encodeInput, retry });
  expect(history.timerSeconds()).toEqual([2, 3, 3, 3, 3, 3]);
  expect(factsOf(failure)).toMatchObject({ attempts: 7, elapsedSeconds: 17 });
});

test('an invalid input fails at once with the reason', async () => {
  const { failure, history } = await run(() => ok, { sourceUrl: 'ftp://media.test/a.wav', outputs: [] });
  expect(failure?.type).toBe('InvalidRequest');
  expect(failure?.message).toContain('must be a URL that starts with https:');
  expect(failure?.message).toContain('at outputs');
  expect(history.startsOf('encode')).toEqual([]);
  expect(runs.container?.requests).toEqual([]);
});

test('a waiting run reports the reason and can be cancelled at once', async () => {
  const container = await runs.start(() => busy(600));
  await runs.time.withWorkers([container.url], async (taskQueue) => {
    const handle = await runs.time.start('encode', encodeInput, taskQueue);
    const status = await waitingStatus(handle);
    expect(status).toMatchObject({
      phase: 'prepare',
      state: 'waiting',
      attempt: 1,
      percent: 0,
      waiting: { reason: 'rate_limited', seconds: 600 },
      elapsedSeconds: 0,
      budgetLeftSeconds: 3600,
    });
    expect(status.waiting?.until).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
  });
});

test('a waiting run reports that the source, not the container, was unreachable', async () => {
  const container = await runs.start(() => errorAnswer(502, 'source_unavailable'));
  await runs.time.withWorkers([container.url], async (taskQueue) => {
    const handle = await runs.time.start('encode', encodeInput, taskQueue);
    const { waiting } = await waitingStatus(handle);
    expect(waiting).toMatchObject({ reason: 'connection_error', unreached: 'source', seconds: 10 });
    await handle.terminate();
  });
});

const unknownHost = errorAnswer(502, 'source_unavailable', { errno: 'ENOTFOUND' });

test('a host name that does not exist is reported at once and retried for ten minutes', async () => {
  const container = await runs.start(() => unknownHost);
  await runs.time.withWorkers([container.url], async (taskQueue) => {
    const handle = await runs.time.start('encode', encodeInput, taskQueue);
    const { waiting, budgetLeftSeconds } = await waitingStatus(handle);
    expect(waiting).toMatchObject({ unreached: 'source', error: 'It went wrong: source_unavailable.', seconds: 10 });
    expect(budgetLeftSeconds).toBeLessThanOrEqual(600);
    await handle.terminate();
  });
  const { failure, history } = await run(() => unknownHost);
  expectStarts(history, [0, 10, 30, 70, 130, 190, 250, 310, 370, 430, 490, 550]);
  expect(failure?.type).toBe('RetryBudgetExhausted');
  expect(failure?.message).toContain('would exceed the limit of 600 s');
});

test('the ten minutes of an unknown host name begin with its first failure, and end with any other answer', async () => {
  const { history } = await run(inTurn(busy(1000), unknownHost, unknownHost, busy(700), unknownHost, ok));
  expect(history.timerSeconds()).toEqual([1000, 10, 20, 700, 40]);
});

/** Polls the status; the clock stands still meanwhile, because it skips only while a result is awaited. */
async function waitingStatus(handle: WorkflowHandle): Promise<WorkflowStatus> {
  for (;;) {
    const status = await handle.query<WorkflowStatus>('status');
    if (status.state === 'waiting') return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
