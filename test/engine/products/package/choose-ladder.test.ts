import { expect, test } from 'vitest';
import { chooseLadder } from '../../../../engine/products/package/choose-ladder.ts';

const trialsOf = (pairs: readonly (readonly [number, number])[]) => pairs.map(([bitrate, vmaf]) => ({ bitrate, vmaf }));

/** kbit/s of the chosen renditions. */
const chosenOf = (pairs: readonly (readonly [number, number])[], most = 6): number[] =>
  chooseLadder(trialsOf(pairs), { lowestBitrate: 145, most }).flatMap(({ trial, isChosen }) =>
    isChosen ? [trial.bitrate] : [],
  );

test.each<[string, readonly (readonly [number, number])[], number[]]>([
  [
    'a film that takes all its bits keeps each step of the ladder',
    [
      [7800, 88],
      [4500, 76],
      [2000, 62],
      [730, 41],
      [365, 24],
      [145, 9],
    ],
    [7800, 4500, 2000, 730, 365, 145],
  ],
  [
    'of a film whose sizes look alike the largest and the smallest stay',
    [
      [900, 95.4],
      [520, 94],
      [300, 93],
      [200, 92],
      [130, 91],
    ],
    [900, 130],
  ],
  [
    'a film that is good with the bits of the slowest network has one rendition',
    [
      [120, 97],
      [60, 95.2],
      [40, 80],
    ],
    [60],
  ],
  [
    'a size that looks worse than another with fewer bits is none',
    [
      [3000, 95],
      [1400, 80],
      [1300, 84],
      [140, 50],
    ],
    [3000, 1300, 140],
  ],
  [
    'what is better than the target is needless',
    [
      [5000, 98.5],
      [3000, 95.1],
      [1500, 88],
      [140, 50],
    ],
    [3000, 1500, 140],
  ],
  [
    'a step takes clearly fewer bits, however much worse it looks',
    [
      [3000, 95],
      [2500, 70],
      [140, 50],
    ],
    [3000, 140],
  ],
  [
    'one that is hardly better than that of the slowest network is none',
    [
      [3000, 95],
      [1000, 55],
      [140, 50],
    ],
    [3000, 140],
  ],
  [
    'where nothing is small enough the smallest is that of slow networks',
    [
      [3000, 95],
      [400, 60],
    ],
    [3000, 400],
  ],
  [
    'where all are of the same bits there is one, the best',
    [
      [500, 60],
      [500, 70],
      [500, 65],
    ],
    [500],
  ],
  ['nothing tried, nothing chosen', [], []],
])('%s', (_what, pairs, expected) => {
  expect(chosenOf(pairs)).toEqual(expected);
});

test('the ladder never has more renditions than without trials, and keeps one for slow networks', () => {
  const pairs = Array.from({ length: 12 }, (_, index) => [10_000 * 0.55 ** index, 95 - 7 * index] as const);
  const chosen = chosenOf(pairs, 4);
  expect(chosen).toHaveLength(4);
  expect(chosen.at(-1)).toBeLessThanOrEqual(145);
  expect(chosenOf(pairs, 1)).toEqual([10_000]);
});

test('each trial is reported with the reason for its choice or rejection, highest bitrate first', () => {
  const trials = trialsOf([
    [1400, 80],
    [5000, 98],
    [3000, 95],
    [1300, 84],
    [1200, 83],
    [140, 50],
  ]);
  expect(chooseLadder(trials, { lowestBitrate: 145, most: 6 })).toEqual([
    { trial: trials[1], isChosen: false, reason: 'better than a VMAF of 95, with no visible gain' },
    { trial: trials[2], isChosen: true, reason: 'the fewest bits with a VMAF of 95' },
    { trial: trials[0], isChosen: false, reason: 'another looks as good or better with no more bits' },
    {
      ...{ trial: trials[3], isChosen: true },
      reason: 'clearly fewer bits than the one above, and clearly better than the one below',
    },
    {
      ...{ trial: trials[4], isChosen: false },
      reason: 'a chosen rendition looks almost the same, or needs almost as many bits',
    },
    { trial: trials[5], isChosen: true, reason: 'for the slowest networks' },
  ]);
  const [best] = chooseLadder([{ bitrate: 900, vmaf: 80 }], { lowestBitrate: 145, most: 6 });
  expect(best).toMatchObject({ isChosen: true, reason: 'the best that was tried, below a VMAF of 95' });
});
