import { expect, test } from 'vitest';
import { jsonBytes } from '../../../contract/payload-size.ts';
import type { ChunkTask } from '../../../workflows/chunks/chunk-task.ts';
import { packTasks, unpackTasks } from '../../../workflows/chunks/packed-tasks.ts';

const count = 9_900;

function tasksOf(taskOf: (index: number) => ChunkTask): ChunkTask[] {
  return Array.from({ length: count }, (_, index) => taskOf(index));
}

test('packs the tasks of 9,900 chunks in progress into a few kilobytes and unpacks them unchanged', () => {
  const tasks = tasksOf((index) => {
    if (index % 1_000 === 7) return { kind: 'failed', attempts: 5, error: 'timeout', message: 'No answer within 60 s' };
    if (index % 900 === 11)
      return { kind: 'open', attempts: 1, lost: 0, backoff: { untilMs: index, error: 'http_500' } };
    if (index < 5_000) return { kind: 'completed', attempts: 1, provider: 'test/model' };
    return { kind: 'open', attempts: 0, lost: 0 };
  });
  const packed = packTasks(tasks);
  expect(jsonBytes(packed)).toBeLessThan(10_000);
  expect(unpackTasks(packed)).toEqual(tasks);
});

test('cuts thousands of different messages so that they fit into a payload', () => {
  const message = (index: number) => `Request req_${index} failed: ${'the model is overloaded '.repeat(20)}`;
  const tasks = tasksOf((index) => ({ kind: 'failed', attempts: 5, error: 'http_500', message: message(index) }));
  const packed = packTasks(tasks);
  expect(jsonBytes(packed)).toBeLessThan(1_500_000);
  const unpacked = unpackTasks(packed);
  expect(unpacked).toHaveLength(count);
  expect(unpacked[42]).toMatchObject({ kind: 'failed', error: 'http_500', message: 'Request req_42 failed: the mod…' });
});

test('accepts the ungrouped tasks of an older version', () => {
  const tasks: ChunkTask[] = [
    { kind: 'completed', attempts: 1 },
    { kind: 'open', attempts: 0, lost: 0 },
  ];
  expect(unpackTasks(tasks)).toEqual(tasks);
  expect(unpackTasks([])).toEqual([]);
});
