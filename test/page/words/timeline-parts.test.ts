import { expect, test } from 'vitest';
import { shapeTimeline, sumParts } from '../../../page/words/timeline-parts.ts';

const from = '2026-01-01T00:00:00.000Z';
const to = '2026-01-01T00:00:10.000Z';
const step = 'encode';
const error = { type: 'ConnectionError', message: 'The source does not answer.' };
const failed = (attempt: number) => ({ kind: 'attempt', step, attempt, from, to, outcome: 'failed', error }) as const;
const waited = { kind: 'wait', step, attempt: 1, from, to, until: to, seconds: 10 } as const;

test('the legend counts failed attempts together, and blames the source for its own waits', () => {
  const { lanes } = shapeTimeline(
    {
      startedAt: from,
      endedAt: to,
      timeline: [failed(1), failed(2), { ...waited, reason: 'connection_error', unreached: 'source' }],
    },
    Date.parse(to),
  );
  expect(sumParts(lanes)).toEqual([
    { kind: 'failed', words: 'Failed attempt', count: 2, seconds: 20 },
    { kind: 'wait', words: 'The source does not answer', count: 1, seconds: 10 },
  ]);
});
