import { expect, test } from 'vitest';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { Eta } from '../../../cli/progress/eta.ts';
import { PlainProgress } from '../../../cli/progress/plain-progress.ts';
import { clockTime, shownDuration } from '../../../cli/progress/status-line.ts';

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

test('one line for each phase and each tenth, however often it is asked', () => {
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
    'storing the result, 95 %',
  ]);
});

test('a wait is told once, with its reason and its end', () => {
  const waiting = { reason: 'rate_limited', until: until.toISOString(), seconds: 10 } as const;
  const lost = { reason: 'connection_error', until: until.toISOString(), seconds: 40 } as const;
  expect(
    linesOf(
      { state: 'queued', phase: 'prepare', attempt: 1 },
      { state: 'waiting', waiting },
      { state: 'waiting', waiting },
      { state: 'waiting', waiting: lost, attempt: 2 },
    ),
  ).toEqual([
    'queued: waiting for a free container, 0 %',
    `waiting 10 s: the container is busy with another job; attempt 2 at ${clockTime(until)}`,
    `waiting 40 s: the container cannot be reached; attempt 3 at ${clockTime(until)}`,
  ]);
});

test('a throttle is told once, with its reason and its end', () => {
  const chunks = [{ index: 0, state: 'waiting_for_permit', attempt: 1 } as const];
  const today = new Date();
  const throttled = [{ provider: 'a/b', until: today.toISOString(), reason: 'Slow down' }];
  const processing = { phase: 'process', percent: 25, chunks } as const;
  const nextYear = new Date(today.getFullYear() + 1, 0, 1, 14, 5);
  const again = [{ provider: 'a/b', until: nextYear.toISOString(), reason: 'by hand' }];
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
    `a/b is throttled until ${clockTime(today)}: Slow down`,
    `a/b is throttled until ${nextYear.toDateString()} 14:05:00: by hand`,
  ]);
});

test('no control characters', () => {
  const lines = linesOf({ percent: 1 }, { percent: 50 }, { phase: 'done', state: 'done', percent: 100 });
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
});

test.each([
  [0, '0:00'],
  [59.6, '1:00'],
  [750, '12:30'],
  [3723, '1:02:03'],
  [-3, '0:00'],
])('%s s are shown as %s', (seconds, shown) => {
  expect(shownDuration(seconds)).toBe(shown);
});

test('the time left follows the pace of the last seconds and is not guessed too early', () => {
  const eta = new Eta();
  // The fetch: ten percent in a second.
  expect(eta.after(0, 0)).toBeUndefined();
  expect(eta.after(1_000, 10)).toBeUndefined();
  let left: number | undefined;
  // The encode: one percent a second.
  for (let second = 2; second <= 40; second += 1) left = eta.after(second * 1_000, 9 + second);
  expect(left).toBeCloseTo(51, 0);
});
