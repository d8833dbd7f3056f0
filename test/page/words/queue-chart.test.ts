import { expect, test } from 'vitest';
import { shapeQueue } from '../../../page/words/queue-chart.ts';

const sample = (minute: number, backlog: number, busy = 1) => ({
  at: new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString(),
  backlog,
  busy,
  ready: 0,
});

test('draws the queue over time, with a gap for missing samples', () => {
  const samples = [sample(0, 0), sample(1, 4), sample(2, 2), sample(9, 2), sample(10, 1)];
  expect(shapeQueue({ everySeconds: 60, samples })).toEqual({
    from: samples[0]?.at,
    to: samples[4]?.at,
    most: 4,
    longest: samples[1],
    lines: {
      backlog: ['0.0,100.0 100.0,0.0 200.0,50.0', '900.0,50.0 1000.0,75.0'],
      busy: ['0.0,75.0 100.0,75.0 200.0,75.0', '900.0,75.0 1000.0,75.0'],
    },
  });
});

test('draws an empty queue at the bottom', () => {
  const samples = [sample(0, 0, 0), sample(1, 0, 0)];
  expect(shapeQueue({ everySeconds: 60, samples })?.lines.backlog).toEqual(['0.0,100.0 1000.0,100.0']);
});

test.each([[[]], [[sample(0, 3)]]])('draws nothing for the samples %j', (samples) => {
  expect(shapeQueue({ everySeconds: 60, samples })).toBeUndefined();
});
