import { expect, test } from 'vitest';
import { nameSegments } from '../../../activities/transcript/speakers.ts';
import type { SpokenSegment } from '../../../contract/transcript/spoken.ts';

/** A vector of length 1, nearest to the axis of its voice. The noise is the same in each test run. */
function voice(axis: number, at: number): Float32Array {
  const vector = Float32Array.from({ length: 16 }, (_, index) =>
    index === axis ? 1 : 0.1 + 0.15 * Math.sin(at * 7.7 + index * 3.3),
  );
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Turns of 6 s, each with a voice. */
function windowsOf(turns: readonly number[]) {
  return turns.flatMap((axis, turn) =>
    [0, 0.8, 1.6, 2.4, 3.2, 4].map((offset) => {
      const start = turn * 6 + offset;
      return { start, end: start + 1.6, vector: voice(axis, start) };
    }),
  );
}

/** A segment with a word each second. */
function segment(from: number, to: number): SpokenSegment {
  const words = Array.from({ length: to - from }, (_, index) => ({
    text: `w${from + index} `,
    start: from + index + 0.1,
    end: from + index + 0.9,
  }));
  return { start: from, end: to, words };
}

/** The speaker and the words of each segment. */
const shape = (chunks: SpokenSegment[][]) =>
  chunks.map((segments) => segments.map(({ words }) => `${words[0]?.speaker ?? '–'}:${words.length}`).join(' '));

test('numbers speakers in order of appearance, divides segments between them, and keeps names across chunks', () => {
  const chunks = [[segment(0, 6), segment(6, 18)], [segment(18, 24)]];
  expect(shape(nameSegments(chunks, windowsOf([5, 2, 5, 2]), true))).toEqual(['S1:6 S2:6 S1:6', 'S2:6']);
});

test('keeps the times of a divided segment at its ends, and cuts it at the words', () => {
  const [[first, second] = []] = nameSegments([[segment(0, 12)]], windowsOf([1, 2]), true);
  expect([first?.start, first?.end, second?.start, second?.end]).toEqual([0, 5.9, 6.1, 12]);
});

test('merges the nearest voices down to the given number', () => {
  const chunks = [[segment(0, 24)]];
  expect(shape(nameSegments(chunks, windowsOf([1, 2, 3, 1]), true))).toEqual(['S1:6 S2:6 S3:6 S1:6']);
  const names = nameSegments(chunks, windowsOf([1, 2, 3, 1]), 2).flat();
  expect(new Set(names.map(({ words }) => words[0]?.speaker))).toEqual(new Set(['S1', 'S2']));
  expect(shape(nameSegments(chunks, windowsOf([1, 2, 3, 1]), 1))).toEqual(['S1:24']);
});

test('finds a speaker of short sentences, whether the number of speakers is given or not', () => {
  // Windows of the second voice have products of 0.7.
  const short = (index: number) => {
    const vector = new Float32Array(16);
    vector[9] = 0.7 ** 0.5;
    vector[index] = 0.3 ** 0.5;
    return vector;
  };
  const windows = [
    ...windowsOf([5]),
    ...[0, 1, 2, 3].map((index) => ({ start: 6 + index * 3, end: 7.2 + index * 3, vector: short(index) })),
  ];
  for (const wanted of [true, 2, 3] as const) {
    expect(shape(nameSegments([[segment(0, 18)]], windows, wanted)), `speakers: ${wanted}`).toEqual(['S1:6 S2:12']);
  }
});

test('a noise is no speaker, and words far from every voice have none', () => {
  const windows = [...windowsOf([1, 1]), { start: 11.8, end: 13, vector: voice(9, 0) }];
  expect(shape(nameSegments([[segment(0, 13), segment(20, 22)]], windows, true))).toEqual(['S1:13 –:2']);
  expect(shape(nameSegments([[segment(0, 2)]], [], true))).toEqual(['–:2']);
});

test('compares a sample of the windows of a recording of hours', () => {
  const turns = Array.from({ length: 2_000 }, (_, index) => (index * 7) % 5);
  const [named = []] = nameSegments([[segment(0, 12_000)]], windowsOf(turns), true);
  expect(named).toHaveLength(2_000);
  expect(new Set(named.map(({ words }) => words[0]?.speaker)).size).toBe(5);
});
