import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../client/run-record.ts';
import type { TimelineEntry } from '../../../contract/server/timeline.ts';
import { presenceIdentity, readPresenceIdentity } from '../../../contract/container-presence.ts';
import { containerViews } from '../../../server/queue/containers.ts';
import { expectedStarts, steadyStart } from '../../../server/queue/expected-starts.ts';
import { Line, lineOf } from '../../../server/queue/line.ts';
import type { LiveStatuses } from '../../../server/runs/live-statuses.ts';
import type { PendingStep } from '../../../server/runs/pending-steps.ts';
import { workSeconds, type WorkTimes } from '../../../server/queue/work-times.ts';

function run(runId: string, more: Partial<RunRecord> = {}): RunRecord {
  const workflowType = 'encode';
  return {
    workflowId: `id of ${runId}`,
    runId,
    workflowType,
    taskQueue: 'q',
    startedAt: new Date(0),
    historyEvents: 3,
    ...more,
  };
}

const queued = (scheduledMs: number, priority = 3): PendingStep => ({ kind: 'queued', scheduledMs, priority });
const working = (containerUrl: string): Extract<PendingStep, { kind: 'working' }> => ({
  kind: 'working',
  sinceMs: 5_000,
  containerUrl,
  phase: 'encode',
  percent: 40,
});

test('orders the queue by priority, then by arrival, with unstarted runs last', () => {
  const line = lineOf([
    { run: run('late', { state: 'queued' }), steps: [queued(9)] },
    { run: run('new', { state: 'queued', startedAt: new Date(2) }), steps: [] },
    { run: run('newer', { state: 'queued', startedAt: new Date(3) }), steps: [] },
    { run: run('at work', { state: 'running' }), steps: [working('http://a')] },
    { run: run('between two activities', { state: 'running' }), steps: [] },
    { run: run('early', { state: 'queued' }), steps: [queued(1)] },
    { run: run('urgent', { state: 'queued' }), steps: [queued(10, 1)] },
    // One step is queued while another one is working.
    { run: run('half', { state: 'running' }), steps: [working('http://b'), queued(5), queued(4)] },
  ]);
  expect(line.map(({ runId }) => runId)).toEqual(['urgent', 'early', 'half', 'late', 'new', 'newer']);
});

test.each([
  [[0], 60, [0, 60, 120]],
  [[30, 10], 60, [10, 30, 70]],
  // A container without an estimate counts as the typical time.
  [[undefined], 60, [60, 120, 180]],
  [[], 60, [undefined, undefined, undefined]],
  // Without a typical time, only the known ends give starts.
  [[10, 5], undefined, [5, 10, undefined]],
  [[undefined, 5], undefined, [5, undefined, undefined]],
])('expects starts with containers free in %j and jobs of %s s at %j', (free, typical, starts) => {
  expect(expectedStarts(3, free, typical)).toEqual(starts);
});

test('keeps an expected start that hardly moves, and never gives one in the past', () => {
  const steady = (before: string | undefined, expectedMs: number): string => steadyStart(before, expectedMs, 100_000);
  const first = steady(undefined, 160_000);
  expect(first).toBe(new Date(160_000).toISOString());
  expect(steady(first, 165_000)).toBe(first);
  expect(steady(first, 200_000)).toBe(new Date(200_000).toISOString());
  expect(steady(new Date(99_000).toISOString(), 100_000)).toBe(new Date(100_000).toISOString());
});

test('counts the attempts of a run as container time, and not its waits', () => {
  const at = (second: number): string => new Date(second * 1000).toISOString();
  const place = { step: 'encode', attempt: 1 };
  const timeline: TimelineEntry[] = [
    { kind: 'queued', ...place, from: at(0), to: at(50) },
    { kind: 'attempt', ...place, from: at(50), to: at(52), outcome: 'failed' },
    { kind: 'attempt', ...place, attempt: 2, from: at(70), to: at(80), outcome: 'succeeded' },
  ];
  expect(workSeconds(timeline)).toBe(12);
  expect(workSeconds([])).toBeUndefined();
});

test('lists a container once, whether it is known by a poller, by its work or by both', () => {
  const facts = { since: new Date(0).toISOString(), worker: '1@host/x', workerVersion: '0.1.0' };
  const present = [
    { ...facts, containerUrl: 'http://b', version: '0.1.0' },
    { ...facts, containerUrl: 'http://user:secret@a' },
    { ...facts, containerUrl: 'http://127.0.0.1:1', machine: 'one' },
    { ...facts, containerUrl: 'http://127.0.0.1:1', machine: 'two' },
  ];
  const elsewhere = { ...working('http://127.0.0.1:1'), machine: 'two' };
  const views = containerViews(present, [
    { run: run('r'), step: working('http://b') },
    { run: run('s'), step: elsewhere },
    { run: run('t'), step: working('http://gone') },
  ]);
  expect(JSON.stringify(views)).not.toContain('secret');
  const facets = views.map(({ containerUrl, machine, state, run: of }) => [containerUrl, machine, state, of?.id]);
  expect(facets).toEqual([
    ['http://a', undefined, 'ready', undefined],
    ['http://b', undefined, 'busy', 'id of r'],
    ['http://gone', undefined, 'busy', 'id of t'],
    ['http://127.0.0.1:1', 'one', 'ready', undefined],
    ['http://127.0.0.1:1', 'two', 'busy', 'id of s'],
  ]);
});

test('reads a container from the identity of its poller, and ignores other identities', () => {
  const facts = { containerUrl: 'http://a', since: 'now', worker: 'w', workerVersion: '1' };
  expect(readPresenceIdentity(presenceIdentity(facts))).toEqual(facts);
  for (const other of ['7@host/1b4e', '', '{}', 'null', '{"containerUrl": 1}']) {
    expect(readPresenceIdentity(other)).toBeUndefined();
  }
});

test('counts a run once that is listed as queued and as running', async () => {
  const client = {
    options: { namespace: 'n', loadedDataConverter: { payloadConverter: defaultPayloadConverter, payloadCodecs: [] } },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflowService: {
      describeWorkflowExecution: async () => {
        const payloads = [defaultPayloadConverter.toPayload({ state: { location: { containerUrl: 'http://a' } } })];
        const activity = { activityType: { name: 'followJob' }, heartbeatDetails: { payloads } };
        return await Promise.resolve({ pendingActivities: [activity] });
      },
      listWorkflowExecutions: async () => await Promise.resolve({ executions: [{ execution: { runId: 'r' } }] }),
      describeTaskQueue: async () => await Promise.resolve({ pollers: [] }),
    },
  } as unknown as Client;
  const statuses = { read: async () => await Promise.resolve(new Map()) } as unknown as LiveStatuses;
  const times = { typicalSeconds: async () => await Promise.resolve(9) } as unknown as WorkTimes;
  expect((await new Line(client, 'q', statuses, times).read()).work).toHaveLength(1);
});
