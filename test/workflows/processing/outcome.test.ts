import { expect, test } from 'vitest';
import type { ProcessedChunk } from '../../../contract/workflow/processing.ts';
import { chunkOutcome, outcomeStatus, resumedTask } from '../../../workflows/processing/outcome.ts';

const cut = { index: 3, start: 174, duration: 60, size: 1000, sha256: 'b', url: 's3://media/chunk-00003.ogg' };

function chunkWith(status: ProcessedChunk['status']): ProcessedChunk {
  return { ...cut, status };
}

test.each([
  [['completed', 'completed'], 'completed'],
  [['completed', 'failed'], 'partial'],
  [['failed', 'failed'], 'failed'],
] as const)('a run with chunks %j is %s', (states, expected) => {
  expect(outcomeStatus(states.map(chunkWith))).toBe(expected);
});

test('a completed chunk reports attempts and provider, a failed chunk also its error', () => {
  expect(chunkOutcome(3, { kind: 'completed', attempts: 2, provider: 'a/b' })).toEqual({
    status: 'completed',
    attempts: 2,
    provider: 'a/b',
  });
  expect(chunkOutcome(3, { kind: 'failed', attempts: 5, error: 'timeout', message: 'No answer' })).toEqual({
    status: 'failed',
    attempts: 5,
    error: 'timeout',
    message: 'No answer',
  });
});

test('an unprocessed chunk is an internal error, not a success', () => {
  const task = { kind: 'open', attempts: 1, lost: 0 } as const;
  expect(() => chunkOutcome(3, task)).toThrow('Chunk 3 was not processed');
  expect(() => chunkOutcome(3, undefined)).toThrow('Chunk 3 was not processed');
});

test('a resumed run keeps completed chunks and resets the attempts of failed ones', () => {
  expect(resumedTask({ ...chunkWith('failed'), attempts: 5 })).toEqual({ kind: 'open', attempts: 0, lost: 0 });
  expect(resumedTask({ ...chunkWith('completed'), attempts: 2, provider: 'a/b' })).toEqual({
    kind: 'completed',
    attempts: 2,
    provider: 'a/b',
  });
});
