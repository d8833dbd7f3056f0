import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { WebhookDelivery } from '../../../contract/workflow/webhook.ts';
import { loopbackAllowed, WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { RunHistory } from '../../support/history.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';

// With the real constants, on a clock that skips.

let time: TimeSkipping;
let receiver: WebhookReceiver;
beforeAll(async () => void (time = await TimeSkipping.start()));
afterAll(() => time.stop());
beforeEach(async () => void (receiver = await WebhookReceiver.start()));
afterEach(() => receiver.stop());

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

async function deliver() {
  const delivery: WebhookDelivery = {
    webhook: { url: receiver.url, secret: 'acme' },
    messageId: 'msg_1',
    message: {
      type: 'run.failed',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { id: 'talk', runId: 'r1', workflow: 'encode', state: 'failed', error: 'No.' },
    },
  };
  const webhooks = { secrets: new Map([['ACME', [secret]]]), allowed: loopbackAllowed };
  // Nothing of it needs a container.
  return await time.withWorkers(
    [],
    async (taskQueue) => {
      const handle = await time.start('webhook', delivery, taskQueue);
      const result = await handle.result().catch((error: unknown) => {
        if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause;
        throw error;
      });
      return { result, history: await RunHistory.of(handle) };
    },
    { webhooks },
  );
}

test('a receiver that is down for good is tried ten times in three days, and the message fails then', async () => {
  receiver.answer = (response) => response.writeHead(503).end();
  const { result, history } = await deliver();
  expect(result).toMatchObject({
    type: 'WebhookUndelivered',
    message: "The webhook's message run.failed was not delivered: the receiver answered 503; it was tried 10 times.",
  });
  expect(history.timerSeconds()).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(history.timerSummaries()[1]).toBe('Try again in 300 s: the receiver answered 503');
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect([receiver.received.length, [...ids]]).toEqual([10, ['msg_1']]);
});

test('a receiver’s own wait is kept, and its success ends it', async () => {
  receiver.answer = (response, count) =>
    count < 3 ? response.writeHead(429, { 'retry-after': '77' }).end() : response.writeHead(200).end('{}');
  const { result, history } = await deliver();
  expect(result).toEqual({ tries: 3 });
  expect(history.timerSeconds()).toEqual([77, 77]);
  expect(history.text()).not.toContain('whsec_');
});

test('a receiver that wants no more gets no more', async () => {
  receiver.answer = (response) => response.writeHead(410).end();
  const { result, history } = await deliver();
  expect(result).toMatchObject({ type: 'WebhookUndelivered' });
  expect(history.timerSeconds()).toEqual([]);
  expect(receiver.received).toHaveLength(1);
});
