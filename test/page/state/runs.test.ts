import { effect } from '@preact/signals';
import { beforeEach, expect, test, vi } from 'vitest';
import type { RunsPage, RunView } from '../../../contract/server/run.ts';
import { stubPageGlobals } from './page-globals.ts';

stubPageGlobals();
const { holdfast } = await import('../../../page/api/holdfast.ts');
const { changedRun, loadRuns, runs, showChange } = await import('../../../page/state/runs.ts');

const list = vi.spyOn(holdfast, 'list');
const run = (facts: Partial<RunView>): RunView => ({
  id: 'talk',
  runId: 'first',
  workflow: 'encode',
  state: 'running',
  startedAt: '2026-11-30T06:00:00.000Z',
  ...facts,
});
const ended = { state: 'failed', endedAt: '2026-11-30T06:10:00.000Z' } as const;
const later = run({ runId: 'second', startedAt: '2026-11-30T06:05:00.000Z' });
const shown = () => runs.value.map(({ runId, state }) => `${runId} ${state}`);

/** Lists these runs. */
async function load(...listed: RunView[]): Promise<void> {
  list.mockResolvedValueOnce({ runs: listed, total: listed.length });
  await loadRuns();
}

beforeEach(() => void list.mockReset());

test('the end of an earlier run leaves the open run of the same id in the list', async () => {
  await load(later);
  changedRun.value = later;
  showChange(run(ended));
  expect([shown(), changedRun.value?.runId]).toEqual([['second running'], 'second']);
  showChange({ ...later, ...ended });
  expect(shown()).toEqual(['second failed']);
});

test('a later run takes the place of the run with the same id', async () => {
  await load(run(ended));
  showChange(later);
  expect(shown()).toEqual(['second running']);
});

test('a page of the list that arrives late does not undo newer changes', async () => {
  const page = Promise.withResolvers<RunsPage>();
  await load(run({}));
  list.mockReturnValueOnce(page.promise);
  const loading = loadRuns();
  showChange(run({ percent: 99 }));
  showChange(run(ended));
  showChange(run({ id: 'other', state: 'queued' }));
  const states: string[][] = [];
  const dispose = effect(() => void states.push(shown()));
  page.resolve({ runs: [run({ percent: 98 })], total: 1 });
  await loading;
  dispose();
  expect(shown()).toEqual(['first queued', 'first failed']);
  // A run that seems to be open again would be reported a second time.
  expect(states.flat()).not.toContain('first running');
});

test('a change from before the end of a run does not open it again', async () => {
  await load(run(ended));
  showChange(run({ percent: 99 }));
  expect(shown()).toEqual(['first failed']);
});
