import { type ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import type { WebhookMessage } from '../../../contract/workflow/webhook.ts';
import { busy } from '../../fixtures/scripted-container.ts';
import { loopbackAllowed, WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { rowsExcept } from '../../support/rows.ts';
import { encodeInput, useInstantAttempts, useScriptedRuns } from '../../support/scripted-runs.ts';
import { expectStarts, factsOf } from './retry-starts.ts';

// Runs of hundreds of attempts, with the real constants on a time-skipping clock.

const runs = await useScriptedRuns();
const { run } = runs;

useInstantAttempts();

test.each(
  rowsExcept(
    [3600],
    [
      [600, 58],
      [3600, 358],
    ],
  ),
)(
  'with a budget of %i s, a container that is always busy for 10 s sees %i attempts, one every 10 s',
  async (budgetSeconds = 0, attempts = 0) => {
    const lastSeconds = budgetSeconds - 30;
    const { failure, history, log } = await run(() => busy(10), {
      ...encodeInput,
      retry: { maxRetryTime: budgetSeconds },
    });
    expect(runs.container?.requestsTo('POST', '/encode')).toHaveLength(attempts);
    expectStarts(
      history,
      Array.from({ length: attempts }, (_, index) => index * 10),
    );
    expect(failure?.type).toBe('RetryBudgetExhausted');
    expect(failure?.nonRetryable).toBe(true);
    expect(factsOf(failure)).toMatchObject({
      lastError: { type: 'RateLimited', message: 'Encoding service is busy. Please retry in 10 seconds.' },
      attempts,
      rateLimitHits: attempts,
      connectionErrors: 0,
      elapsedSeconds: lastSeconds,
    });
    expect(failure?.message).toBe(
      `Gave up after ${attempts} attempts in ${lastSeconds} s: the container was busy ${attempts} times. ` +
        `Waiting 10 s more would exceed the limit of ${budgetSeconds} s, of which 30 s are reserved. ` +
        'Last error: Encoding service is busy. Please retry in 10 seconds.',
    );
    expect(log).toContain(`Encoding attempt ${attempts} for format mp3_128 (${lastSeconds}s elapsed)`);
  },
);

test('a run with a long history continues as new with its counts, its key and its events', async () => {
  const receiver = await WebhookReceiver.start();
  onTestFinished(() => receiver.stop());
  const webhook = { url: receiver.url, secret: 'acme' };
  const value = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
  const webhooks = { secrets: new Map([['ACME', { value }]]), allowed: loopbackAllowed };
  const input = { ...encodeInput, webhook, retry: { maxRetryTime: 500 } };
  const container = await runs.start(() => busy(1));
  const body = async (taskQueue: string): Promise<void> => {
    const handle = await runs.time.start('encode', input, taskQueue);
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    const failure = error instanceof WorkflowFailedError ? (error.cause as ApplicationFailure) : undefined;
    // elapsed + 1 + 30 <= 500 holds up to 469 s, so attempts start at 0, 1, … 470.
    const posts = container.requestsTo('POST', '/encode');
    expect(posts).toHaveLength(471);
    expect(new Set(posts.map((request) => request.headers['idempotency-key'])).size).toBe(1);
    expect(factsOf(failure)).toMatchObject({ attempts: 471, rateLimitHits: 471, elapsedSeconds: 470 });
    const { runId } = await handle.describe();
    expect(runId).not.toBe(handle.firstExecutionRunId);
    // The workers must still run: the message of the end is a workflow of its own, which outlives the run.
    const events = () => receiver.received.map(({ body: text }) => (JSON.parse(text) as WebhookMessage).type);
    await expect.poll(() => events().toSorted()).toEqual(['run.failed', 'run.started', 'run.waiting']);
  };
  await runs.time.withWorkers([container.url], body, { webhooks });
});
