import { expect, test } from 'vitest';
import { summariseScores } from '../../../../engine/pictures/quality/summarise-scores.ts';

const at = (count: number, fps: number) => Array.from({ length: count }, (_, index) => index / fps);

test('scores are summarised as mean, first percentile and worst second', () => {
  // At 4 pictures per second, those from 2.5 s to 3.5 s are the worst.
  const scores = Float32Array.from({ length: 400 }, (_, index) => (index >= 10 && index < 14 ? 40 + index : 90));
  expect(summariseScores(scores, at(400, 4), 100, 2)).toEqual({
    mean: 89.61,
    percentile1: 53,
    worstSecond: { value: 51.5, at: 2.5 },
  });
});

test.each<[string, number[], number[], number, object]>([
  ['one picture', [77], [0], 0.04, { mean: 77, percentile1: 77, worstSecond: { value: 77, at: 0 } }],
  ['less than a second', [80, 90], [0, 0.5], 0.9, { mean: 85, percentile1: 80, worstSecond: { value: 85, at: 0 } }],
  // The last half second does not count as a second, however bad it is.
  [
    'a bad end',
    [90, 90, 90, 10],
    [0, 0.5, 1, 1.5],
    2,
    { mean: 70, percentile1: 10, worstSecond: { value: 50, at: 1 } },
  ],
  [
    'a rate that varies',
    [50, 90, 90],
    [0, 2, 2.5],
    3,
    { mean: 76.67, percentile1: 50, worstSecond: { value: 50, at: 0 } },
  ],
])('%s has all values', (_, scores, times, end, expected) => {
  expect(summariseScores(Float32Array.from(scores), times, end, 2)).toEqual(expected);
});
