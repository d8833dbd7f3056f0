import { expect, test } from 'vitest';
import type { LimiterView } from '../../../contract/limiter.ts';
import type { ChunkState } from '../../../contract/workflow/status.ts';
import { chunkLines } from '../../../workflows/status/chunk-lines.ts';

function lines(states: ChunkState[], limiters: LimiterView[] = [], estimatedDelaySeconds?: number): string[] {
  const chunks = states.map((state, index) => ({ index, ...state }));
  return chunkLines({ chunks, limiters, estimatedDelaySeconds }).filter((line) => line !== '');
}

const until = '2026-01-02T03:04:05.000Z';

test.each<[ChunkState, string]>([
  [{ state: 'pending' }, 'pending'],
  [{ state: 'waiting_for_permit', attempt: 1 }, 'waiting_for_permit'],
  [{ state: 'waiting_for_permit', attempt: 2 }, 'waiting_for_permit · attempt 2'],
  [{ state: 'processing', attempt: 1, provider: 'a/b' }, 'processing · attempt 1 at a/b'],
  [{ state: 'backoff', attempt: 1, until, error: 'http_503' }, `backoff · attempt 1: http_503 · until ${until}`],
  [{ state: 'completed' }, 'completed'],
  [{ state: 'failed', error: 'timeout', message: 'No answer within 60 s' }, 'failed · timeout: No answer within 60 s'],
])('shows the chunk %j as "%s"', (state, text) => {
  expect(lines([state])).toEqual([`* chunk 0: ${text}`]);
});

test('groups consecutive chunks in the same state and shows at most 200 lines', () => {
  expect(lines([{ state: 'completed' }, { state: 'completed' }, { state: 'pending' }, { state: 'completed' }])).toEqual(
    ['* chunks 0–1: completed', '* chunk 2: pending', '* chunk 3: completed'],
  );
  const states = Array.from({ length: 1_000 }, (_, index): ChunkState => ({
    state: index % 2 ? 'completed' : 'pending',
  }));
  expect(lines(states)).toHaveLength(201);
  expect(lines(states).at(-1)).toBe('* … and 800 more lines');
});

test.each<[string, Partial<LimiterView>, string[]]>([
  ['responds', {}, []],
  [
    'does not respond',
    { degraded: true },
    ['**a/b: degraded** · the limiter does not respond; each worker keeps to its share of the limits'],
  ],
  [
    'is throttled',
    { throttledUntil: until, throttleReason: 'tokens per day limit exceeded' },
    [`**a/b: throttled** until ${until} · tokens per day limit exceeded`],
  ],
])('shows a limiter that %s only if it delays the chunks', (_, view, told) => {
  expect(lines([], [{ key: 'a/b', degraded: false, waiting: 0, ...view }])).toEqual(told);
});

test('shows the estimated time unless nothing is left', () => {
  expect(lines([], [], 42)).toEqual(['about 42 s left']);
  expect(lines([], [], 0)).toEqual([]);
});
