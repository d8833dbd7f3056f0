import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { expect, test } from 'vitest';
import { PlainProgress } from '../../../cli/progress/plain-progress.ts';
import { formatClockTime } from '../../../cli/text/format-time.ts';

const until = new Date('2026-03-01T12:00:10Z');

function status(changes: Partial<WorkflowStatus>): WorkflowStatus {
  return {
    phase: 'encode',
    state: 'running',
    percent: 0,
    attempt: 1,
    elapsedSeconds: 0,
    budgetLeftSeconds: 3600,
    ...changes,
  };
}

function linesOf(...statuses: Partial<WorkflowStatus>[]): string[] {
  const lines: string[] = [];
  const progress = new PlainProgress((line) => lines.push(line));
  for (const changes of statuses) progress.show(status(changes));
  return lines;
}

test('prints one line for each phase and each 10 %', () => {
  expect(
    linesOf(
      { phase: 'prepare', state: 'queued', attempt: 0 },
      { phase: 'download', percent: 3 },
      { phase: 'download', percent: 5 },
      { percent: 11 },
      { percent: 12.4 },
      { percent: 19.9 },
      { percent: 20 },
      { percent: 55 },
      { phase: 'upload', percent: 95 },
    ),
  ).toEqual([
    'preparing, 0 %',
    'downloading the source, 3 %',
    'encoding, 11 %',
    'encoding, 20 %',
    'encoding, 55 %',
    'uploading the result, 95 %',
  ]);
});

test('prints one line for each wait, with its reason and end', () => {
  const waiting = { reason: 'rate_limited', until: until.toISOString(), seconds: 10 } as const;
  const lost = { reason: 'connection_error', until: until.toISOString(), seconds: 40 } as const;
  expect(
    linesOf(
      { state: 'queued', phase: 'prepare', attempt: 1 },
      { state: 'waiting', waiting },
      { state: 'waiting', waiting },
      { state: 'waiting', waiting: lost, attempt: 2 },
      { state: 'waiting', waiting: { ...lost, unreached: 'source' }, attempt: 3 },
    ),
  ).toEqual([
    'queued: waiting for a free container, 0 %',
    `waiting 10 s: the container is busy with another job; attempt 2 at ${formatClockTime(until)}`,
    `waiting 40 s: the container cannot be reached; attempt 3 at ${formatClockTime(until)}`,
    `waiting 40 s: the source cannot be reached; attempt 4 at ${formatClockTime(until)}`,
  ]);
});

test('prints one line for each throttle, with its reason and end', () => {
  const chunks = [{ index: 0, state: 'waiting_for_permit', attempt: 1 } as const];
  const today = new Date();
  const throttled = [{ provider: 'a/b', until: today.toISOString(), reason: 'Slow down' }];
  const processing = { phase: 'process', percent: 25, chunks } as const;
  const nextYear = new Date(today.getFullYear() + 1, 0, 1, 14, 5);
  const again = [{ provider: 'a/b', until: nextYear.toISOString(), reason: 'operator override' }];
  expect(
    linesOf(
      { ...processing, throttled: [] },
      { ...processing, throttled },
      { ...processing, throttled },
      { ...processing, throttled: [] },
      { ...processing, throttled: again },
    ),
  ).toEqual([
    'processing the chunks, 25 % (0 of 1 completed, 1 waiting)',
    `a/b is throttled until ${formatClockTime(today)}: Slow down`,
    `a/b is throttled until ${nextYear.toDateString()} 14:05:00: operator override`,
  ]);
});

test('prints no control characters', () => {
  const lines = linesOf({ percent: 1 }, { percent: 50 }, { phase: 'done', state: 'done', percent: 100 });
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
});

test('prints frames, speed and size of an encoding film', () => {
  const video = { frames: 1234, fps: 48.2, size: 3_355_443 };
  expect(linesOf({ percent: 20, speed: 1.93, video }, { percent: 30, video: { ...video, fps: 0.04 } })).toEqual([
    'encoding, 20 % (1,234 frames, 48 fps, 1.9x, 3.2 MiB)',
    'encoding, 30 % (1,234 frames, 0.04 fps, 3.2 MiB)',
  ]);
});

test('omits the speed of the first frame', () => {
  const video = { frames: 1, fps: 0, size: 48 };
  for (const speed of [0, 0.004]) {
    expect(linesOf({ percent: 20, speed, video })).toEqual(['encoding, 20 % (1 frame, 48 bytes)']);
  }
});

test('names the segments of a spread run instead of the pace of one', () => {
  const video = { frames: 1200, fps: 48, size: 3_355_443 };
  const spread = { segments: 12, done: 3, running: 2, waiting: 1 };
  expect(linesOf({ percent: 30, video, spread }, { percent: 91, spread: { ...spread, done: 12 } })).toEqual([
    'encoding, 30 % (3 of 12 segments, 2 running, 1 waiting)',
    'encoding, 91 %',
  ]);
});
