import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunDetails } from '../../../contract/server/run.ts';
import { stubPageGlobals } from './page-globals.ts';

stubPageGlobals();
const { holdfast } = await import('../../../page/api/holdfast.ts');
const { changedRun } = await import('../../../page/state/runs.ts');
const { watchDetails } = await import('../../../page/state/run-details.ts');

const get = vi.spyOn(holdfast, 'get');
const details = (facts: Partial<RunDetails>): RunDetails => ({
  ...{ id: 'talk', runId: 'first', workflow: 'encode', state: 'running', startedAt: '2026-11-30T06:00:00.000Z' },
  ...{ input: {}, timeline: [], timelineComplete: true, files: [], archives: [] },
  ...facts,
});
const later = details({ runId: 'second', startedAt: '2026-11-30T06:05:00.000Z' });

/** Shows the page of a run. */
function show() {
  const watched = watchDetails('talk');
  onTestFinished(watched.stop);
  return {
    ...watched,
    shown: () => {
      const state = watched.details.value;
      return state.state === 'ready' ? `${state.run.runId} ${state.run.state}` : state.state;
    },
  };
}

test('the page of a run ignores the end of an earlier run with the same id', async () => {
  get.mockResolvedValue(later);
  const { shown } = show();
  await vi.waitFor(() => expect(shown()).toBe('second running'));
  changedRun.value = details({ state: 'failed', endedAt: '2026-11-30T06:10:00.000Z' });
  expect(shown()).toBe('second running');
});

test('an answer that a later one has overtaken is not shown', async () => {
  const slow = Promise.withResolvers<RunDetails>();
  get.mockReturnValueOnce(slow.promise);
  const { reload, shown } = show();
  get.mockResolvedValue(details({ state: 'succeeded' }));
  await reload();
  slow.resolve(details({}));
  await slow.promise;
  expect(shown()).toBe('first succeeded');
});

test('details that were read before a change are loaded again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slow = Promise.withResolvers<RunDetails>();
  get.mockReturnValueOnce(slow.promise);
  const { shown } = show();
  get.mockResolvedValue(details({ state: 'succeeded' }));
  changedRun.value = details({ state: 'succeeded' });
  slow.resolve(details({}));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shown()).toBe('first succeeded');
});
