import { expect, test } from 'vitest';
import { isWorthSending, jobProgress } from '../../../activities/container/job-progress.ts';
import type { JobPhase } from '../../../contract/http/job.ts';

function progress(phase: JobPhase, percent: number) {
  return { step: 'encode', location: { containerUrl: 'http://c', jobId: 'j' }, phase, percent };
}

const last = { progress: progress('encode', 20), atMs: 10_000 };

test.each<[string, JobPhase, number, number, boolean]>([
  ['a new phase is not sent at once', 'verify', 20, 10_100, false],
  ['a new phase that lasts is sent', 'verify', 20, 10_500, true],
  ['large growth that comes too soon is not sent', 'encode', 90, 14_999, false],
  ['growth that is large and late enough is sent', 'encode', 25, 15_000, true],
  ['small growth is not sent, however late', 'encode', 24, 99_000, false],
])('selects progress to send: %s', (_, phase, percent, nowMs, expected) => {
  expect(isWorthSending(progress(phase, percent), last, nowMs)).toBe(expected);
});

test('progress includes the pace of a video job', () => {
  const location = { containerUrl: 'http://c', jobId: 'j' };
  const video = { frames: 100, fps: 37.5, size: 4096 };
  const facts = { jobId: 'j', kind: 'encode', advances: 1, startedAt: '' } as const;
  const job = { ...facts, state: 'running', phase: 'encode', percent: 30, speed: 1.5, video } as const;
  expect(jobProgress('encode', job, location)).toEqual({
    step: 'encode',
    location,
    phase: 'encode',
    percent: 30,
    speed: 1.5,
    video,
  });
});

test('the first progress is always sent', () => {
  expect(isWorthSending(progress('download', 0), undefined, 0)).toBe(true);
});
