import { expect, test } from 'vitest';
import { z } from 'zod';
import { ChunkList } from '../../contract/chunk-list.ts';
import { listOf } from '../../contract/list-of.ts';

test('parses each item, and names the first wrong one', () => {
  const numbers = listOf(z.object({ number: z.coerce.number() }));
  expect(numbers.parse([{ number: '1' }, { number: 2, more: 3 }])).toEqual([{ number: 1 }, { number: 2 }]);
  const { error } = z.object({ numbers }).safeParse({ numbers: [{ number: 1 }, {}, {}] });
  expect(error?.issues).toMatchObject([{ path: ['numbers', 1, 'number'] }]);
  expect(numbers.safeParse('none').success).toBe(false);
});

test('a chunk list with many wrong chunks has one issue', () => {
  const list = { version: 1, totalChunks: 1, totalDuration: 1, chunks: Array(1000).fill(1) };
  expect(ChunkList.safeParse(list).error?.issues).toHaveLength(1);
});
