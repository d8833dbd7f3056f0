import { expect, test } from 'vitest';
import type { RunRecord } from '../../../client/run-record.ts';
import { OldestRuns } from '../../../server/queue/oldest-runs.ts';

/** A list of runs that started at these milliseconds. Pages have two runs, the newest first, as in Temporal. */
function listOf(starts: number[]) {
  const asked: string[] = [];
  const oldest = new OldestRuns(async ({ cursor, startedBefore }) => {
    asked.push(cursor ?? 'first');
    const listed = starts.filter((start) => start < (startedBefore?.getTime() ?? Infinity)).toReversed();
    const from = Number(cursor ?? 0);
    const runs = listed.slice(from, from + 2).map((start) => ({ startedAt: new Date(start) }) as RunRecord);
    return await Promise.resolve({ runs, ...(from + 2 < listed.length && { nextCursor: String(from + 2) }) });
  }, 4);
  const read = async (): Promise<number[]> => (await oldest.read()).map(({ startedAt }) => startedAt.getTime());
  return { read, asked };
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

test('reads the oldest runs of a list of several pages', async () => {
  expect(await listOf(upTo(3)).read()).toEqual([3, 2, 1]);
  expect(await listOf(upTo(7)).read()).toEqual([4, 3, 2, 1]);
});

test('reads only the pages of the oldest runs once they are found, until half of them are gone', async () => {
  const starts = upTo(7);
  const { read, asked } = listOf(starts);
  await read();
  starts.push(8);
  starts.shift();
  asked.length = 0;
  expect(await read()).toEqual([4, 3, 2]);
  expect(asked).toEqual(['first', '2']);
  starts.splice(0, 2);
  expect(await read()).toEqual([4]);
  expect(await read()).toEqual([7, 6, 5, 4]);
});

test('continues the search of a list that is too long for one read', async () => {
  const { read, asked } = listOf(upTo(22));
  expect(await read()).toEqual([]);
  expect(asked).toHaveLength(5);
  expect(await read()).toEqual([]);
  expect(await read()).toEqual([4, 3, 2, 1]);
  expect(asked.length).toBeLessThanOrEqual(15);
});

test('ends a search with enough runs, and keeps the found ones until the next search ends', async () => {
  const starts = upTo(11);
  const { read } = listOf(starts);
  expect(await read()).toEqual([]);
  expect(await read()).toEqual([4, 3, 2, 1]);
  expect(await read()).toEqual([4, 3, 2, 1]);
  starts.splice(0, 3);
  starts.push(...upTo(22).slice(11));
  expect(await read()).toEqual([4]);
  expect(await read()).toEqual([4]);
  expect(await read()).toEqual([4]);
  expect(await read()).toEqual([7, 6, 5, 4]);
});
