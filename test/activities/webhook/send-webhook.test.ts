import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, expect, test } from 'vitest';
import { sendWebhookActivity } from '../../../activities/webhook/send-webhook.ts';
import type { WebhookDelivery, WebhookTry } from '../../../contract/workflow/webhook.ts';
import { nothingAllowed } from '../../../network/address-guard.ts';
import { loopbackAllowed, WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const first = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const second = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const strange = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

const receiver = await stopAfterAll(WebhookReceiver.start());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (response) => response.writeHead(204).end();
});

function delivery(webhook: Partial<WebhookDelivery['webhook']> = {}): WebhookDelivery {
  return {
    webhook: { url: receiver.url, secret: 'acme', ...webhook },
    messageId: 'msg_1',
    message: {
      type: 'run.completed',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { id: 'talk', runId: 'r1', workflow: 'encode', state: 'succeeded' },
    },
  };
}

async function send(what = delivery(), settings = { allowed: loopbackAllowed }, info = {}): Promise<WebhookTry> {
  const secrets = new Map([['ACME', { value: [first, second] }]]);
  const environment = new MockActivityEnvironment(info);
  return await environment.run(sendWebhookActivity({ secrets, ...settings }), what);
}

test('signs a message with each secret of its name and sends its id and time', async () => {
  expect(await send()).toEqual({ kind: 'delivered', status: 204, message: 'the receiver answered 204' });
  expect(receiver.verified(first)).toEqual([delivery().message]);
  expect(receiver.verified(second)).toEqual([delivery().message]);
  expect(() => receiver.verified(strange)).toThrow('No matching signature found');
  expect(receiver.received[0]?.headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-type': 'application/json' });
  expect(JSON.stringify(receiver.received)).not.toContain('whsec_');
});

test('a worker whose clock is behind signs with the time of Temporal, which receivers accept', async () => {
  const aheadMs = Date.now() + 600_000;
  await send(delivery(), { allowed: loopbackAllowed }, { currentAttemptScheduledTimestampMs: aheadMs });
  expect(receiver.received[0]?.headers['webhook-timestamp']).toBe(String(Math.floor(aheadMs / 1000)));
});

test.each<[number, Record<string, string>, Partial<WebhookTry>]>([
  [200, {}, { kind: 'delivered' }],
  [503, {}, { kind: 'failed' }],
  [429, { 'retry-after': '7' }, { kind: 'failed', retryAfterSeconds: 7 }],
  [410, {}, { kind: 'gone' }],
  [401, {}, { kind: 'failed' }],
  [302, { location: '/elsewhere' }, { kind: 'failed' }],
])('an answer of %i with headers %j has the outcome %j', async (status, headers, outcome) => {
  receiver.answer = (response) => response.writeHead(status, headers).end('x'.repeat(200_000));
  expect(await send()).toEqual({ status, message: `the receiver answered ${status}`, ...outcome });
  expect(receiver.received).toHaveLength(1);
});

test('refuses an internal address without a retry', async () => {
  expect(await send(delivery(), { allowed: nothingAllowed })).toEqual({
    kind: 'refused',
    message: '127.0.0.1 is a loopback, private or otherwise internal address',
  });
  const byName = delivery({ url: receiver.url.replace('127.0.0.1', 'localhost') });
  expect(await send(byName, { allowed: nothingAllowed })).toMatchObject({ kind: 'refused' });
  expect(receiver.received).toEqual([]);
});

test('an unreachable receiver and an unknown secret are retryable failures', async () => {
  const gone = await WebhookReceiver.start();
  await gone.stop();
  expect(await send(delivery({ url: gone.url }))).toEqual({
    kind: 'failed',
    message: 'the receiver was unreachable (ECONNREFUSED)',
  });
  expect(await send(delivery({ secret: 'other' }))).toEqual({
    kind: 'failed',
    message: 'this worker has no WEBHOOK_SECRET_OTHER for this run and this URL',
  });
});
