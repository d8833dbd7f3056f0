import { afterEach, expect, test, vi } from 'vitest';
import type { QueueView } from '../../../contract/server/queue.ts';
import { QueueSamples } from '../../../server/queue/queue-samples.ts';

afterEach(() => void vi.useRealTimers());

const minuteMs = 60_000;

test('samples the queue each minute for 24 hours, skips failures, and ends with the current moment', async () => {
  vi.useFakeTimers({ now: 0 });
  let backlog = 0;
  const read = async (): Promise<QueueView> => {
    backlog += 1;
    if (backlog === 3) throw new Error('Temporal does not answer');
    return await Promise.resolve({ backlog, busy: 1, ready: 2, workers: 3, oldestSeconds: 9 });
  };
  const samples = new QueueSamples(read);
  expect(backlog).toBe(0);
  await vi.advanceTimersByTimeAsync(3 * minuteMs);
  const at = (minute: number): string => new Date(minute * minuteMs).toISOString();
  expect(await samples.history()).toEqual({
    everySeconds: 60,
    samples: [
      { at: at(1), backlog: 1, busy: 1, ready: 2 },
      { at: at(2), backlog: 2, busy: 1, ready: 2 },
      { at: at(3), backlog: 4, busy: 1, ready: 2 },
    ],
  });
  await vi.advanceTimersByTimeAsync(3 * 24 * 60 * minuteMs);
  const day = (await samples.history()).samples;
  expect(day).toHaveLength(24 * 60 + 1);
  expect(day[0]?.at).toBe(at(3 + 2 * 24 * 60 + 1));
  samples.stop();
  const asked = backlog;
  await vi.advanceTimersByTimeAsync(10 * minuteMs);
  expect(backlog).toBe(asked);
});

test('rejects if Temporal does not answer', async () => {
  const samples = new QueueSamples(async () => await Promise.reject(new Error('Temporal does not answer')));
  await expect(samples.history()).rejects.toThrow('Temporal does not answer');
  samples.stop();
});
