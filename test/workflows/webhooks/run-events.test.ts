import { expect, test } from 'vitest';
import type { JobProgress } from '../../../contract/activity.ts';
import type { WebhookMessage } from '../../../contract/workflow/webhook.ts';
import { RunStatus } from '../../../workflows/status/run-status.ts';
import { eventOf, type ReportedWaits } from '../../../workflows/webhooks/run-events.ts';

function watched(): { status: RunStatus; events: [string, Partial<WebhookMessage['data']>][] } {
  const events: [string, object][] = [];
  let reported: ReportedWaits = new Map();
  const status = new RunStatus('encode', 3600, (model) => {
    const found = eventOf(model, reported);
    ({ reported } = found);
    if (found.event !== undefined) events.push([found.event.type, found.event.data]);
  });
  status.startStep('encode', { from: 0, to: 100 });
  status.queueAttempt('encode', 1, 0);
  return { status, events };
}

const progress = { step: 'encode', phase: 'encode', percent: 3 } as JobProgress;

test('reports a busy container once, and again after a job has advanced', () => {
  const { status, events } = watched();
  for (let attempt = 1; attempt <= 40; attempt += 1) {
    status.startWait('encode', { reason: 'rate_limited', seconds: 10 }, 0);
    status.queueAttempt('encode', attempt + 1, attempt * 10);
  }
  expect(events).toMatchObject([
    ['run.waiting', { state: 'waiting', attempt: 1, waiting: { reason: 'rate_limited', seconds: 10 } }],
  ]);
  status.startWait('encode', { reason: 'connection_error', seconds: 10 }, 400);
  status.queueAttempt('encode', 42, 410);
  status.reportProgress(progress);
  status.startWait('encode', { reason: 'connection_error', seconds: 20 }, 410);
  expect(events.slice(1)).toMatchObject([
    ['run.waiting', { waiting: { reason: 'connection_error', seconds: 10 } }],
    ['run.waiting', { attempt: 42, waiting: { reason: 'connection_error', seconds: 20 } }],
  ]);
});

test('reports a waiting step only while no other step runs', () => {
  const { status, events } = watched();
  status.startStep('chunk', { from: 50, to: 100 });
  status.queueAttempt('chunk', 1, 0);
  status.reportProgress(progress);
  status.startWait('chunk', { reason: 'rate_limited', seconds: 10 }, 0);
  expect(events).toEqual([]);
  status.endStep('encode', 'done', 0);
  expect(events).toMatchObject([['run.waiting', { attempt: 1 }]]);
});

test.each<[string, (status: RunStatus) => void, unknown]>([
  ['success', (status) => status.complete(9, undefined), ['run.completed', { state: 'succeeded' }]],
  ['a failure', (status) => status.fail('No.'), ['run.failed', { state: 'failed', attempt: 1, error: 'No.' }]],
  ['a cancellation', (status) => status.cancel(), ['run.cancelled', { state: 'cancelled' }]],
  [
    'a result with missing chunks',
    (status) => status.complete(9, '2 of 5 chunks failed'),
    ['run.failed', { state: 'failed', error: '2 of 5 chunks failed' }],
  ],
])('reports %s', (_, end, event) => {
  const { status, events } = watched();
  end(status);
  expect(events).toEqual([event]);
});
