import { expect, test } from 'vitest';
import { findDoubleWork, type LifeLog } from '../chaos/support/job-lives.ts';

const key = 'run:encode';

interface Job {
  from: number;
  to?: number;
  state?: string;
}

/** A container's log with seconds of one minute as times. */
function lifeOf(jobs: readonly Job[], killed = false): LifeLog {
  const line = (second: number, msg: string, more: object) => ({
    time: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
    msg,
    idempotencyKey: key,
    ...more,
  });
  const logLines = jobs.flatMap(({ from, to, state = 'succeeded' }) => {
    const jobId = `job-${from}`;
    return [
      line(from, `[JOB_START] ${jobId}`, { jobId }),
      ...(to === undefined ? [] : [line(to, `[JOB_END] ${jobId}`, { jobId, state })]),
    ];
  });
  return { container: { process: { logLines } }, killed };
}

test.each<[string, LifeLog[], RegExp | undefined]>([
  ['one job', [lifeOf([{ from: 1, to: 5 }])], undefined],
  [
    'a failed one and another',
    [lifeOf([{ from: 1, to: 5, state: 'failed' }]), lifeOf([{ from: 6, to: 9 }])],
    undefined,
  ],
  ['one that was killed, and another', [lifeOf([{ from: 1 }], true), lifeOf([{ from: 6, to: 9 }])], undefined],
  [
    'a success that died with its container',
    [lifeOf([{ from: 1, to: 5 }], true), lifeOf([{ from: 6, to: 9 }])],
    undefined,
  ],
  [
    'a success that is done again',
    [
      lifeOf([
        { from: 1, to: 5 },
        { from: 6, to: 9 },
      ]),
    ],
    /had succeeded was done again/,
  ],
  ['two at one time', [lifeOf([{ from: 1, to: 7, state: 'cancelled' }]), lifeOf([{ from: 6, to: 9 }])], /at one time/],
  ['none that succeeds', [lifeOf([{ from: 1, to: 5, state: 'failed' }])], /last job did not succeed/],
])('the verdict on a step’s jobs is right: %s', (_, lives, problem) => {
  const found = findDoubleWork(lives, key);
  if (problem === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([expect.stringMatching(problem)]);
});
