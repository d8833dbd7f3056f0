import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { WebhookDelivery } from '../../../contract/workflow/webhook.ts';
import { loopbackAllowed, WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { RunHistory } from '../../support/history.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';

// These tests use the real constants on a time-skipping clock.

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
  const webhooks = { secrets: new Map([['ACME', { value: [secret] }]]), allowed: loopbackAllowed };
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

test('a message fails after ten tries in three days if the receiver stays down', async () => {
  receiver.answer = (response) => response.writeHead(503).end();
  const { result, history } = await deliver();
  expect(result).toMatchObject({
    type: 'WebhookUndelivered',
    message: 'The webhook message run.failed was not delivered: the receiver answered 503; gave up after 10 tries.',
  });
  expect(history.timerSeconds()).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(history.timerSummaries()[1]).toBe('Retry in 300 s: the receiver answered 503');
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect([receiver.received.length, [...ids]]).toEqual([10, ['msg_1']]);
});

test('waits as long as the receiver asks, until it accepts the message', async () => {
  receiver.answer = (response, count) =>
    count < 3 ? response.writeHead(429, { 'retry-after': '77' }).end() : response.writeHead(200).end('{}');
  const { result, history } = await deliver();
  expect(result).toEqual({ tries: 3 });
  expect(history.timerSeconds()).toEqual([77, 77]);
  expect(history.text()).not.toContain('whsec_');
});

test('stops after a receiver answers 410 Gone', async () => {
  receiver.answer = (response) => response.writeHead(410).end();
  const { result, history } = await deliver();
  expect(result).toMatchObject({ type: 'WebhookUndelivered' });
  expect(history.timerSeconds()).toEqual([]);
  expect(receiver.received).toHaveLength(1);
});
