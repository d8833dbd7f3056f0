import { expect, test } from 'vitest';
import { formatRuns } from '../../../cli/runs/format-runs.ts';
import type { ListedRun } from '../../../client/list-runs.ts';

const now = new Date(2026, 10, 28, 9, 0, 0);
const record: ListedRun['record'] = {
  workflowId: 'encode-talk-1',
  runId: 'r',
  workflowType: 'encode',
  taskQueue: 'holdfast',
  startedAt: new Date(2026, 10, 27, 14, 5, 0),
  endedAt: new Date(2026, 10, 27, 14, 6, 5),
  ending: 'failed',
  historyEvents: 9,
};
const failure = 'Gave up after 3 attempts.\nLast error: the source is empty: it has 0 bytes.';

test('a list shows the day of each run, and why it failed', () => {
  const runs: ListedRun[] = [
    { record: { ...record, startedAt: new Date(2026, 10, 28, 8, 30, 0) }, state: 'queued' },
    { record, state: 'failed', failure },
  ];
  const [, today, yesterday] = formatRuns(runs, { now, width: undefined }).split('\n');
  expect(today).toMatch(/^encode-talk-1 {2}queued +08:30 /);
  expect(yesterday).toMatch(
    /failed +Nov 27 14:05 +1:05 .*attempts\. Last error: the source is empty: it has 0 bytes\.$/,
  );
});

test('a narrow list cuts the reason at the width of the terminal', () => {
  const lines = formatRuns([{ record, state: 'failed', failure }], { now, width: 60 }).split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^ {4}Gave up after 3 attempts\. Last error: .*…$/);
});

test('a list names the source of a run whose id is random', () => {
  const source = 'A talk (1).wav';
  const named = (workflowId: string) => ({
    record: { ...record, workflowId, source },
    state: 'failed' as const,
    failure,
  });
  const list = formatRuns([named('encode-A-talk-1-3f9a'), named('encode-3f9a')], { now, width: undefined });
  const [, byName, random] = list.split('\n');
  expect(byName).not.toContain(source);
  expect(random).toContain(`  ${source}: Gave up after 3 attempts.`);
});
