import { expect, test } from 'vitest';
import { isWorthSending } from '../../../activities/container/job-progress.ts';
import type { JobPhase } from '../../../contract/http/job.ts';

function progress(phase: JobPhase, percent: number) {
  return { step: 'encode', location: { containerUrl: 'http://c', jobId: 'j' }, phase, percent };
}

const last = { progress: progress('encode', 20), atMs: 10_000 };

test.each<[string, JobPhase, number, number, boolean]>([
  ['another phase at once is not sent', 'verify', 20, 10_100, false],
  ['another phase that lasts is sent', 'verify', 20, 10_500, true],
  ['one phase that grew much but too soon is not sent', 'encode', 90, 14_999, false],
  ['one phase that grew enough and late enough is sent', 'encode', 25, 15_000, true],
  ['one phase that hardly grew is not sent, however late', 'encode', 24, 99_000, false],
])('progress in %s', (_, phase, percent, nowMs, expected) => {
  expect(isWorthSending(progress(phase, percent), last, nowMs)).toBe(expected);
});

test('the first progress is always sent', () => {
  expect(isWorthSending(progress('download', 0), undefined, 0)).toBe(true);
});
