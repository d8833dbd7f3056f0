import { expect, test } from 'vitest';
import type { JobProgress } from '../../../contract/activity.ts';
import type { WebhookMessage } from '../../../contract/workflow/webhook.ts';
import { RunStatus } from '../../../workflows/status/run-status.ts';
import { eventOf, type ReportedWaits } from '../../../workflows/webhooks/run-events.ts';

function watched({ byStep = false } = {}): { status: RunStatus; events: [string, Partial<WebhookMessage['data']>][] } {
  const events: [string, object][] = [];
  let reported: ReportedWaits = new Map();
  const status = new RunStatus('encode', 3600, (model) => {
    const found = eventOf(model, reported, byStep);
    ({ reported } = found);
    if (found.event !== undefined) events.push([found.event.type, found.event.data]);
  });
  status.startStep('encode', { from: 0, to: 100 });
  status.queueAttempt('encode', 1, 0);
  return { status, events };
}

const progress = { step: 'encode', phase: 'encode', percent: 3 } as JobProgress;

test.each([
  ['this version', false],
  ['older histories', true],
])('reports a busy container once, and again after a job has advanced, in %s', (_, byStep) => {
  const { status, events } = watched({ byStep });
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

const away = { reason: 'connection_error', seconds: 10 } as const;
const running = (step: string): JobProgress => ({ ...progress, step });

test('reports the wait of a second step, although another step waited before unreported', () => {
  const { status, events } = watched();
  status.startStep('chunk', { from: 50, to: 100 });
  status.queueAttempt('chunk', 1, 0);
  status.reportProgress(running('chunk'));
  status.startWait('encode', away, 0);
  expect(events).toEqual([]);
  status.startWait('chunk', away, 0);
  expect(events).toMatchObject([['run.waiting', { waiting: { reason: 'connection_error' } }]]);
});

test('reports an outage that stops several steps once, and the next one after a job has advanced', () => {
  const { status, events } = watched();
  const steps = ['encode', 'segment-1', 'segment-2'];
  for (const step of steps.slice(1)) status.startStep(step, { from: 0, to: 50 });
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    for (const step of steps) status.queueAttempt(step, attempt, attempt * 10);
    for (const step of steps) status.startWait(step, away, attempt * 10);
    for (const step of steps) status.startWait(step, { reason: 'rate_limited', seconds: 10 }, attempt * 10);
  }
  const reasons = () => events.map(([, { waiting }]) => waiting?.reason);
  expect(reasons()).toEqual(['connection_error', 'rate_limited']);
  status.endStep('encode', 'done', 200);
  status.queueAttempt('segment-2', 11, 200);
  status.reportProgress(running('segment-2'));
  status.startWait('segment-2', away, 210);
  expect(reasons()).toEqual(['connection_error', 'rate_limited', 'connection_error']);
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
