import { expect, test } from 'vitest';
import { Provider, type ProviderPolicy } from '../../../contract/provider.ts';
import type { ChunkState } from '../../../contract/workflow/status.ts';
import { type ProcessingFacts, viewProcessing } from '../../../workflows/chunks/processing-view.ts';

const nowMs = Date.parse('2026-01-02T03:00:00Z');
const { timeoutSeconds, limits, backoff } = Provider.parse({ kind: 'http', url: 'http://127.0.0.1/' });
const provider: ProviderPolicy = { key: 'test/model', environment: 'test', timeoutSeconds, limits, backoff };
const limiter = { key: 'test/model', degraded: false, waiting: 0 };

/** Three chunks without a call. */
const facts: ProcessingFacts = {
  nowMs,
  startedAtMs: nowMs,
  chunks: [{ index: 0 }, { index: 1 }, { index: 2 }],
  provider,
  callMs: 4_000,
  tasks: [0, 1, 2].map(() => ({ kind: 'open', attempts: 0, lost: 0 })),
  current: new Map(),
  limiters: [limiter],
};

test('shows how a chunk ended, or its current wait or call', () => {
  const calling: ChunkState = { state: 'processing', attempt: 2, provider: 'test/model' };
  const { chunks } = viewProcessing({
    ...facts,
    tasks: [
      { kind: 'completed', attempts: 1 },
      { kind: 'failed', attempts: 4, error: 'timeout', message: 'Late' },
      { kind: 'open', attempts: 1, lost: 0 },
    ],
    // A call that was current before the end no longer counts.
    current: new Map([0, 1, 2].map((index) => [index, calling])),
  });
  expect(chunks).toEqual([
    { index: 0, state: 'completed' },
    { index: 1, state: 'failed', error: 'timeout', message: 'Late' },
    { index: 2, ...calling },
  ]);
  expect(viewProcessing(facts).chunks.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
});

test('views anew only the chunks that have changed, because a run may have thousands', () => {
  const before = viewProcessing(facts).chunks;
  const calling: ChunkState = { state: 'processing', attempt: 1, provider: 'test/model' };
  const after = viewProcessing({ ...facts, current: new Map([[1, calling]]) }).chunks;
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toEqual({ index: 1, ...calling });
  expect(after[2]).toBe(before[2]);
  const tasks = facts.tasks.with(1, { kind: 'completed', attempts: 1 });
  expect(viewProcessing({ ...facts, tasks }).chunks[1]).toEqual({ index: 1, state: 'completed' });
});

test('shows a run as degraded if one of its limiters does not respond', () => {
  expect(viewProcessing(facts).degraded).toBe(false);
  const limiters = [limiter, { ...limiter, key: 'test/other', degraded: true }];
  expect(viewProcessing({ ...facts, limiters }).degraded).toBe(true);
});

const waiting = new Map<number, ChunkState>(
  [0, 1, 2].map((index) => [index, { state: 'waiting_for_permit', attempt: 1 }]),
);
const throttledUntil = new Date(nowMs + 900_000).toISOString();

// At 1,000 requests per hour, chunks are 3.6 s apart; a call takes 4 s.
test.each<[string, Partial<ProcessingFacts>, number | undefined]>([
  ['no provider is known', { provider: undefined }, undefined],
  ['all chunks are pending', {}, 15],
  ['no limiter has responded to the waiting requests', { current: waiting }, 15],
  [
    'the limiter has reported when it grants the last request',
    { current: waiting, limiters: [{ ...limiter, waiting: 3, lastGrantAt: new Date(nowMs + 60_000).toISOString() }] },
    64,
  ],
  ['the only key is throttled', { limiters: [{ ...limiter, throttledUntil }] }, 915],
  ['one of two keys is throttled', { limiters: [{ ...limiter, throttledUntil }, limiter] }, 15],
  ['no call has ended (presuming a quarter of the time limit)', { callMs: undefined }, 26],
])('estimates the delay if %s', (_, some, seconds) => {
  expect(viewProcessing({ ...facts, ...some }).estimatedDelaySeconds).toBe(seconds);
});
