import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runBoth, runPool, type PoolTask } from '../../engine/pool.ts';

const never = new AbortController().signal;

test('tasks run in order, a limited number at a time', async () => {
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const tasks = Array.from({ length: 9 }, (_, index): PoolTask => async () => {
    begun.push(index);
    running += 1;
    most = Math.max(most, running);
    await delay(index % 3);
    running -= 1;
  });
  await runPool(tasks, 3, never);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(most).toBe(3);
});

test('a failure aborts the other tasks, starts no further ones, and is reported after they end', async () => {
  let ended = false;
  let begun = false;
  const tasks: PoolTask[] = [
    async () => {
      await delay(5);
      throw new Error('first');
    },
    async (signal) => {
      await delay(60_000, undefined, { signal }).catch(() => delay(20));
      ended = true;
      throw new Error('second');
    },
    async () => {
      begun = true;
      await Promise.resolve();
    },
  ];
  await expect(runPool(tasks, 2, never)).rejects.toThrow('first');
  expect([ended, begun]).toEqual([true, false]);
});

test('an abort ends all tasks and throws its reason', async () => {
  const stop = new AbortController();
  const hang: PoolTask = async (signal) => await delay(60_000, undefined, { signal });
  const running = runPool([hang, hang, hang], 2, stop.signal);
  stop.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
});

test.each([
  [2, ['number', 'text', 'text ended', 'number ended']],
  [1, ['number', 'number ended', 'text', 'text ended']],
] as const)('two tasks of different results run %i at a time', async (width, wanted) => {
  const order: string[] = [];
  const task =
    <Result>(name: string, rounds: number, result: Result) =>
    async (): Promise<Result> => {
      order.push(name);
      for (let round = 0; round < rounds; round += 1) await delay(0);
      order.push(`${name} ended`);
      return result;
    };
  const found: [number, string] = await runBoth(task('number', 9, 1), task('text', 1, 'one'), never, width);
  expect(found).toEqual([1, 'one']);
  expect(order).toEqual(wanted);
});
