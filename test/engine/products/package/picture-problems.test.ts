import { expect, test } from 'vitest';
import { pictureProblems } from '../../../../engine/products/package/picture-problems.ts';
import type { ReadPart } from '../../../../engine/products/package/read-package.ts';

/** 25 pictures per second, with these ticks in each one-second segment. */
function partOf(secondsInTicks: readonly { durationTicks: number; shortestTicks: number }[]): ReadPart {
  const segments = secondsInTicks.map((ticks) => ({ fragments: [{ trackId: 1, samples: 25, ...ticks }] }));
  return { tracks: [{ id: 1, kind: 'video', timescale: 12_800, sizes: [] }], segments } as unknown as ReadPart;
}

test('a last picture with a shortened duration does not distort the frame rate', () => {
  const whole = { durationTicks: 12_800, shortestTicks: 512 };
  // Matches ffmpeg's copy of a film that an edit list ends.
  const cut = { durationTicks: 12_800 - 294, shortestTicks: 218 };
  const stated = { resolution: undefined, frameRate: 25 };
  expect(pictureProblems(stated, partOf([cut]), 'the manifest')).toEqual([]);
  expect(pictureProblems(stated, partOf([whole, cut]), 'the manifest')).toEqual([]);
  expect(pictureProblems({ ...stated, frameRate: 24 }, partOf([whole, cut]), 'the manifest')).toHaveLength(1);
  expect(pictureProblems(stated, partOf([cut, whole]), 'the manifest')).toHaveLength(1);
});

test('the rate of a package with a segment for each of its many pictures is checked', () => {
  const part = partOf(Array.from({ length: 150_000 }, () => ({ durationTicks: 12_800, shortestTicks: 512 })));
  expect(pictureProblems({ resolution: undefined, frameRate: 25 }, part, 'the manifest')).toEqual([]);
  expect(pictureProblems({ resolution: undefined, frameRate: 24 }, part, 'the manifest')).toHaveLength(1);
});
