import { expect, test } from 'vitest';
import { summariseScores } from '../../../../engine/pictures/quality/summarise-scores.ts';

const at = (count: number, fps: number) => Array.from({ length: count }, (_, index) => index / fps);

test('scores are summarised as mean, first percentile and worst second', () => {
  // At 4 pictures per second, those from 2.5 s to 3.5 s are the worst.
  const scores = Float32Array.from({ length: 400 }, (_, index) => (index >= 10 && index < 14 ? 40 + index : 90));
  expect(summariseScores(scores, { times: at(400, 4), endSeconds: 100 }, 2)).toEqual({
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
  expect(summariseScores(Float32Array.from(scores), { times, endSeconds: end }, 2)).toEqual(expected);
});

test('tells the worst second at a seam from the worst of all others', () => {
  // At 4 pictures per second: a bad second at 2 s, and a better one that begins at the seam at 50 s.
  const scores = Float32Array.from({ length: 400 }, (_, index) =>
    index >= 8 && index < 12 ? 40 : index >= 200 && index < 204 ? 70 : 90,
  );
  expect(summariseScores(scores, { times: at(400, 4), endSeconds: 100, seams: [50, 75] }, 2)).toMatchObject({
    worstSecond: { value: 40, at: 2 },
    worstSecondNearSeams: { value: 70, at: 50 },
    worstSecondElsewhere: { value: 40, at: 2 },
  });
  const late = Float32Array.from({ length: 400 }, (_, index) => (index === 205 ? 50 : 90));
  // The seconds that contain only the picture after a second are no seconds at the seam.
  expect(summariseScores(late, { times: at(400, 4), endSeconds: 100, seams: [50] }, 2)).toMatchObject({
    worstSecondNearSeams: { value: 90 },
    worstSecondElsewhere: { value: 80 },
  });
});
