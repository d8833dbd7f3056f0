import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../api-client/webhooks.ts';

const [oldSecret, newSecret, otherSecret] = ['one', 'two', 'three'].map(
  (text) => `whsec_${Buffer.from(`${text}-0123456789abcdef`).toString('base64')}`,
) as [string, string, string];
const body = JSON.stringify({ type: 'run.completed', timestamp: '2026-11-22T11:30:41Z', data: { id: 'ä' } });

function headersOf(secret: string, at = new Date()): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
}

test('accepts a message signed with any of several secrets', () => {
  expect(verifyWebhook(body, headersOf(newSecret), newSecret)).toEqual(JSON.parse(body));
  expect(verifyWebhook(body, new Headers(headersOf(oldSecret)), [newSecret, oldSecret])).toMatchObject({
    data: { id: 'ä' },
  });
});

test.each([
  ['signed by another secret', body, headersOf(otherSecret)],
  ['changed on the way', body.replace('completed', 'failed'), headersOf(newSecret)],
  ['an hour old', body, headersOf(newSecret, new Date(Date.now() - 3_600_000))],
  ['not signed', body, {}],
])('refuses a message that is %s', (_what, text, headers) => {
  expect(() => verifyWebhook(text, headers, [newSecret, oldSecret])).toThrow(WebhookVerificationError);
});
