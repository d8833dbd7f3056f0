import { expect, test } from 'vitest';
import type { CutPlan } from '../../../engine/plan/cut-plan.ts';
import { chaptersFromSilence } from '../../../engine/tags/silence-chapters.ts';
import type { ChapterPauses } from '../../../contract/http/silence.ts';

// At 1000 Hz, a block of 10 samples is 10 ms.
const sampleRate = 1000;

/** Ten minutes that are silent in these seconds. */
function quietIn(...ranges: readonly (readonly [number, number])[]) {
  const peaks = new Float32Array(60_000).fill(NaN);
  for (const [from, to] of ranges) peaks.fill(-60, Math.round(from * 100), Math.round(to * 100));
  return { countedSamples: 600_000, sampleRate, quiet: { blockSamples: 10, peaks } };
}

const source = quietIn([0, 3], [100, 103], [130, 132.5], [200, 201.9], [300, 304], [597, 600]);

function startsOf(options: ChapterPauses, cut?: CutPlan): number[] {
  return chaptersFromSilence(options, source, cut).map(({ startSeconds }) => startSeconds);
}

test.each<[string, ChapterPauses, number[]]>([
  ['in the longest pauses that leave none shorter than a minute', {}, [0, 102.9, 303.9]],
  ['in every pause that is long enough', { minChapter: 1, minPause: 1.9 }, [0, 102.9, 132.4, 201.8, 303.9]],
  ['not so near the beginning', { minChapter: 140 }, [0, 303.9]],
  ['nor so near the end', { minChapter: 297 }, []],
  ['nowhere where no pause is long enough', { minPause: 5 }, []],
  ['nowhere where nothing is so quiet', { threshold: -70 }, []],
])('chapters start %s: %j', (_, options, starts) => {
  expect(startsOf(options)).toEqual(starts);
});

test('generated chapters are numbered after a title of one clean line', () => {
  const titles = (title?: string) =>
    chaptersFromSilence({ minPause: 4, title }, source, undefined).map((one) => one.title);
  expect(titles()).toEqual(['Chapter 1', 'Chapter 2']);
  expect(titles('Kapitel\u0000\n')).toEqual(['Kapitel 1', 'Kapitel 2']);
});

test("lengths are those of the output's part of the source", () => {
  const cut: CutPlan = {
    ...{ sampleRate, sourceSamples: 600_000, from: 50_000, to: 350_000, blockSamples: 10, fadeIn: 0, fadeOut: 0 },
    ...{ keptSamples: 298_000, keptBefore: 0 },
    drops: [{ from: 100_500, to: 102_500 }],
  };
  // 50 s remain before the first pause, and 46 s after the last.
  expect(startsOf({}, cut)).toEqual([0, 132.4]);
  expect(startsOf({ minChapter: 50 }, cut)).toEqual([0, 102.9]);
  expect(startsOf({ minChapter: 40 }, cut)).toEqual([0, 102.9, 303.9]);
});

test('at most a thousand chapters are generated, however many pauses there are', () => {
  const ranges = Array.from({ length: 100_000 }, (_, index) => [index * 3 + 1, index * 3 + 2] as const);
  const peaks = new Float32Array(3_000_000).fill(NaN);
  for (const [from, to] of ranges) peaks.fill(-Infinity, from * 10, to * 10);
  const long = { countedSamples: 300_000_000, sampleRate, quiet: { blockSamples: 100, peaks } };
  const starts = chaptersFromSilence({ minPause: 0.5, minChapter: 1 }, long, undefined).map((one) => one.startSeconds);
  expect(starts).toHaveLength(1000);
  expect(starts.every((start, index) => index === 0 || start > (starts[index - 1] ?? 0))).toBe(true);
});
