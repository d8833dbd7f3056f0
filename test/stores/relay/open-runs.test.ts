import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenRuns } from '../../../stores/relay/open-runs.ts';

const run = { workflowId: 'talk', runId: 'run-1' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('asks once for many requests of a run, and sees its end some seconds later', async () => {
  const isOpen = vi.fn(async () => true);
  const runs = new OpenRuns({ isOpen, warn: () => undefined });
  expect(await Promise.all([runs.isOpen(run, 0), runs.isOpen(run, 0), runs.isOpen(run, 0)])).toEqual([
    true,
    true,
    true,
  ]);
  expect(isOpen).toHaveBeenCalledTimes(1);
  isOpen.mockResolvedValue(false);
  vi.advanceTimersByTime(10_000);
  expect(await runs.isOpen(run, 0)).toBe(false);
});

test('keeps the answers of two runs and of a grace apart', async () => {
  const runs = new OpenRuns({
    isOpen: async ({ runId }, graceMs) => runId === 'run-1' && graceMs === 0,
    warn: () => undefined,
  });
  expect(await runs.isOpen(run, 0)).toBe(true);
  expect(await runs.isOpen(run, 60_000)).toBe(false);
  expect(await runs.isOpen({ ...run, runId: 'run-2' }, 0)).toBe(false);
});

test('knows of no run while Temporal does not answer, and logs the reason', async () => {
  const warnings: object[] = [];
  const isOpen = async () => await Promise.reject(new Error('no connection'));
  const runs = new OpenRuns({ isOpen, warn: (facts) => void warnings.push(facts) });
  expect(await runs.isOpen(run, 0)).toBe(undefined);
  expect(warnings).toEqual([{ ...run, error: 'no connection' }]);
});

test('asks once for the requests that follow a slow failure of Temporal', async () => {
  const isOpen = vi.fn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    throw new Error('no answer');
  });
  const runs = new OpenRuns({ isOpen, warn: () => undefined });
  const first = runs.isOpen(run, 0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await first).toBe(undefined);
  const second = runs.isOpen(run, 0);
  expect(isOpen).toHaveBeenCalledTimes(1);
  expect(await second).toBe(undefined);
});
