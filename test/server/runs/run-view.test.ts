import { expect, test } from 'vitest';
import type { RunRecord } from '../../../client/run-record.ts';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { FileNames } from '../../../server/files/file-names.ts';
import { runView } from '../../../server/runs/run-view.ts';

const names = new FileNames();

const record: RunRecord = {
  workflowId: 'a',
  runId: 'r',
  workflowType: 'encode',
  taskQueue: 'q',
  startedAt: new Date(0),
  historyEvents: 3,
};
const status: WorkflowStatus = {
  phase: 'encode',
  state: 'running',
  percent: 40,
  attempt: 2,
  elapsedSeconds: 1,
  budgetLeftSeconds: 2,
};

test.each([
  ['queued', { state: 'queued' as const }, undefined],
  ['running', {}, undefined],
  ['waiting', { state: 'queued' as const }, { ...status, state: 'waiting' as const }],
  ['succeeded', { ending: 'completed' as const, state: 'succeeded' as const }, undefined],
  // The run completed with failed chunks.
  ['failed', { ending: 'completed' as const, state: 'failed' as const }, undefined],
  // A run terminated in Temporal keeps its last search attribute.
  ['failed', { ending: 'failed' as const, state: 'queued' as const }, undefined],
  ['cancelled', { ending: 'cancelled' as const }, undefined],
  // The status is `done` a moment before the run closes.
  ['running', { state: 'succeeded' as const }, { ...status, state: 'done' as const }],
])('shows a run as %s for %j', (state, facts, live) => {
  expect(runView({ ...record, ...facts }, { status: live }, names).state).toBe(state);
});

test('shows frames and speed of a run that encodes video', () => {
  const pace = { speed: 1.5, video: { frames: 100, fps: 37.5, size: 4096 } };
  expect(runView(record, { status: { ...status, ...pace } }, names)).toMatchObject({ percent: 40, ...pace });
});

test('ignores the last status of an ended run', () => {
  const view = runView({ ...record, ending: 'completed', state: 'succeeded', phase: 'done' }, { status }, names);
  expect(view).toMatchObject({ phase: 'done' });
  expect(view).not.toHaveProperty('percent');
});

test('takes the reason of a wait from the worker, and its end from Temporal if no worker answers', () => {
  const until = '2026-11-22T12:00:00.000Z';
  const waiting: RunRecord = { ...record, state: 'waiting', waitUntil: new Date(until) };
  expect(runView(waiting, {}, names).waiting).toEqual({ until });
  const wait = { reason: 'connection_error' as const, unreached: 'store' as const, until, seconds: 1 };
  expect(runView(waiting, { status: { ...status, state: 'waiting', waiting: wait } }, names).waiting).toEqual({
    reason: 'connection_error',
    unreached: 'store',
    until,
  });
});

test('shows the segments and the sound of a spread run with their jobs', () => {
  const spread = { segments: 12, done: 3, running: 2, waiting: 1 };
  const step = { phase: 'encode' as const, attempt: 1 };
  const steps = [
    { ...step, id: 'segment-3', state: 'running' as const, percent: 41, container: '10.0.0.1:8080' },
    { ...step, id: 'segment-3b', state: 'running' as const, percent: 4 },
    { ...step, id: 'segment-4', state: 'queued' as const, percent: 0 },
    { ...step, id: 'sound', state: 'running' as const, percent: 12 },
    { ...step, id: 'soundb', state: 'queued' as const, percent: 0 },
    { ...step, id: 'join', state: 'queued' as const, percent: 0 },
  ];
  expect(runView(record, { status: { ...status, spread, steps } }, names).spread).toEqual({
    ...spread,
    // The addresses of containers are for operators alone.
    jobs: [
      { segment: 3, isCopy: false, state: 'running', percent: 41 },
      { segment: 3, isCopy: true, state: 'running', percent: 4 },
      { segment: 4, isCopy: false, state: 'queued', percent: 0 },
    ],
    soundJobs: [
      { isCopy: false, state: 'running', percent: 12 },
      { isCopy: true, state: 'queued', percent: 0 },
    ],
  });
});
