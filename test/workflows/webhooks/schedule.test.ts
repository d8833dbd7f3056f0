import { expect, test } from 'vitest';
import type { WebhookTry } from '../../../contract/workflow/webhook.ts';
import { nextTry } from '../../../workflows/webhooks/schedule.ts';

const failed: WebhookTry = { kind: 'failed', status: 503, message: 'the receiver answered 503' };

test('tries follow the standard schedule and end with its last entry', () => {
  let elapsedSeconds = 0;
  const waits = Array.from({ length: 10 }, (_, index) => {
    const next = nextTry(failed, { tries: index + 1, elapsedSeconds });
    elapsedSeconds += next.kind === 'wait' ? next.seconds : 0;
    return next;
  });
  const seconds = waits.flatMap((next) => (next.kind === 'wait' ? [next.seconds] : []));
  // "Standard Webhooks", retry schedule: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
  expect(seconds).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(waits.at(-1)).toEqual({ kind: 'ended', reason: 'the receiver answered 503; gave up after 10 tries' });
});

test.each<[string, WebhookTry, number, object]>([
  ['the receiver’s own wait', { ...failed, retryAfterSeconds: 7 }, 4, { kind: 'wait', seconds: 7 }],
  ['a day if the receiver asks for more', { ...failed, retryAfterSeconds: 1e9 }, 1, { kind: 'wait', seconds: 86_400 }],
  ['the end if the receiver wants no more', { kind: 'gone', message: 'gone' }, 1, { kind: 'ended', reason: 'gone' }],
  ['the end if the address is not allowed', { kind: 'refused', message: 'no' }, 1, { kind: 'ended' }],
  ['nothing if the message was delivered', { kind: 'delivered', message: 'ok' }, 3, { kind: 'delivered' }],
])('a try is followed by %s', (_, tried, tries, next) => {
  expect(nextTry(tried, { tries, elapsedSeconds: 0 })).toMatchObject(next);
});

test('a receiver that asks for short waits is still tried over the three days of the schedule', () => {
  const tried: WebhookTry = { ...failed, retryAfterSeconds: 3 };
  const at = [0];
  let last = nextTry(tried, { tries: 1, elapsedSeconds: 0 });
  while (last.kind === 'wait') {
    at.push(at.at(-1)! + last.seconds);
    last = nextTry(tried, { tries: at.length, elapsedSeconds: at.at(-1)! });
  }
  const own = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27];
  const places = [305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105];
  expect(at).toEqual([...own, ...places]);
  expect(last).toEqual({ kind: 'ended', reason: 'the receiver answered 503; gave up after 18 tries' });
});
