import { expect, test } from 'vitest';
import { CliError } from '../../../cli/cli-error.ts';
import { keepRunning, type RestartedPart } from '../../../cli/stack/keep-running.ts';

/** A worker that ends each time after the given time; the clock moves with it. */
function endingPart(ranMs: readonly number[]) {
  const clock = { nowMs: 0 };
  const calls: string[] = [];
  let starts = 0;
  const part: RestartedPart = {
    name: 'the worker',
    get ended() {
      clock.nowMs += ranMs[starts] ?? 0;
      return starts < ranMs.length ? Promise.resolve('by SIGKILL') : new Promise<string>(() => undefined);
    },
    restart: () => void (starts += 1),
    endedUnexpectedly: (ending) => new CliError(`stays down, ended ${ending}`),
  };
  const supervision = {
    say: (sentence: string) => void calls.push(sentence),
    isClosing: () => false,
    pause: async (ms: number) => void (clock.nowMs += ms),
    nowMs: () => clock.nowMs,
  };
  return { part, supervision, calls };
}

const pausesIn = (calls: readonly string[]) => calls.map((call) => Number(/in (\d+) s/.exec(call)?.[1]));

test('a part that keeps ending starts again after 1, 2, 4, 8 and 16 s, and then stays down', async () => {
  const { part, supervision, calls } = endingPart([5, 5, 5, 5, 5, 5]);
  expect((await keepRunning(part, supervision)).message).toBe('stays down, ended by SIGKILL');
  expect(calls[0]).toBe('The worker ended by SIGKILL. It starts again in 1 s.');
  expect(pausesIn(calls)).toEqual([1, 2, 4, 8, 16]);
});

test('a part that ran for a minute starts again after the first pause', async () => {
  const { part, supervision, calls } = endingPart([5, 5, 60_000, 5, 5, 5, 5, 5]);
  await keepRunning(part, supervision);
  expect(pausesIn(calls)).toEqual([1, 2, 1, 2, 4, 8, 16]);
});

test('a part that ends while the stack stops is not started again', async () => {
  const { part, supervision, calls } = endingPart([5]);
  const kept = keepRunning(part, { ...supervision, isClosing: () => true });
  expect(await Promise.race([kept, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe('waits');
  expect(calls).toEqual([]);
});
