import { expect, test } from 'vitest';
import type { WebhookTry } from '../../../contract/workflow/webhook.ts';
import { nextTry } from '../../../workflows/webhooks/schedule.ts';

const failed: WebhookTry = { kind: 'failed', status: 503, message: 'the receiver answered 503' };

test('tries follow the schedule of the standard, and end with its last', () => {
  const waits = Array.from({ length: 10 }, (_, index) => nextTry(failed, index + 1));
  const seconds = waits.flatMap((next) => (next.kind === 'wait' ? [next.seconds] : []));
  // "Standard Webhooks", retry schedule: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
  expect(seconds).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(waits.at(-1)).toEqual({ kind: 'ended', reason: 'the receiver answered 503; it was tried 10 times' });
});

test.each<[string, WebhookTry, number, object]>([
  ['the receiver’s own wait', { ...failed, retryAfterSeconds: 7 }, 4, { kind: 'wait', seconds: 7 }],
  ['a day where it asks for more', { ...failed, retryAfterSeconds: 1e9 }, 1, { kind: 'wait', seconds: 86_400 }],
  ['the end where it wants no more', { kind: 'gone', message: 'gone' }, 1, { kind: 'ended', reason: 'gone' }],
  ['the end of an address that is not allowed', { kind: 'refused', message: 'no' }, 1, { kind: 'ended' }],
  ['nothing where it was delivered', { kind: 'delivered', message: 'ok' }, 3, { kind: 'delivered' }],
])('what follows is %s', (_, tried, tries, next) => {
  expect(nextTry(tried, tries)).toMatchObject(next);
});
