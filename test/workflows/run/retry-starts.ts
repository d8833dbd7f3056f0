import type { ApplicationFailure } from '@temporalio/client';
import { expect } from 'vitest';
import type { RunFailure } from '../../../contract/workflow/failure.ts';
import type { RunHistory } from '../../support/history.ts';

/** Timers match the intervals between starts to the second. Starts may be later, because real time adds to skipped time. */
export function expectStarts(history: RunHistory, expected: number[]): void {
  const actual = history.startsOf('encode');
  expect(actual).toHaveLength(expected.length);
  expected.forEach((seconds, index) => {
    expect(actual[index], `start ${index + 1}`).toBeGreaterThanOrEqual(seconds);
  });
  expect(history.timerSeconds()).toEqual(expected.slice(1).map((seconds, index) => seconds - (expected[index] ?? 0)));
}

export function factsOf(failure: ApplicationFailure | undefined): RunFailure {
  return failure?.details?.[0] as RunFailure;
}
