import { expect, test } from 'vitest';
import { refineStatus } from '../../client/live-status.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { encoding } from '../support/progress.ts';

const status: WorkflowStatus = { ...encoding, etaSeconds: 12 };

test('a later heartbeat of the same phase replaces the percent and drops the outdated estimate', () => {
  const { etaSeconds: _, ...rest } = status;
  expect(refineStatus(status, { phase: 'encode', percent: 43.5 })).toEqual({ ...rest, percent: 43.5 });
});

test('a later heartbeat with an estimate replaces the estimate too', () => {
  expect(refineStatus(status, { phase: 'encode', percent: 43.5, etaSeconds: 9 })).toEqual({
    ...status,
    percent: 43.5,
    etaSeconds: 9,
  });
});

test.each<[string, Partial<WorkflowStatus>, { phase: 'encode' | 'upload'; percent: number }]>([
  ['an older heartbeat', {}, { phase: 'encode', percent: 39 }],
  ['a heartbeat of another phase', {}, { phase: 'upload', percent: 90 }],
  [
    'the heartbeat of one segment',
    { spread: { segments: 4, done: 1, running: 2, waiting: 0 } },
    { phase: 'encode', percent: 90 },
  ],
  ['a heartbeat of an attempt that has ended', { state: 'waiting' }, { phase: 'encode', percent: 50 }],
])('%s changes nothing', (_, changes, heartbeat) => {
  const known = { ...status, ...changes };
  expect(refineStatus(known, heartbeat)).toBe(known);
});

test('adds the pace from the heartbeat, even at the same percent', () => {
  const pace = { speed: 1.5, video: { frames: 100, fps: 37.5, size: 4096 } };
  expect(refineStatus(status, { phase: 'encode', percent: 40, ...pace })).toEqual({ ...status, ...pace });
  expect(refineStatus(status, { phase: 'encode', percent: 41, ...pace })).toMatchObject({ percent: 41, ...pace });
});

test('drops the workflow’s older pace if the heartbeat has none', () => {
  const pace = { speed: 1.5, video: { frames: 100, fps: 37.5, size: 4096 } };
  expect(refineStatus({ ...status, ...pace }, { phase: 'encode', percent: 41 })).not.toHaveProperty('video');
});
