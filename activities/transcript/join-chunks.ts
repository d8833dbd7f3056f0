import { cutToleranceSeconds } from '../../contract/chunk-plan.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import { commonSubsequence } from '../../contract/transcript/common-subsequence.ts';
import type { SpokenSegment, SpokenWord } from '../../contract/transcript/spoken.ts';

export interface SpokenChunk {
  /** Seconds on the source's clock, as are the segments. */
  start: number;
  end: number;
  segments: readonly SpokenSegment[];
  /** False if the times of words are estimated. */
  hasWordTimes: boolean;
}

/** Number of joins of neighbouring chunks, by what decided where they are joined. */
export interface Joins {
  /** Words that both chunks have. */
  words: number;
  /** A pause in the overlap, if no word is the same in both. It may fill the whole overlap of one side. */
  pause: number;
  /** The middle of the overlap, if it has no pause either. */
  middle: number;
}

/** Seconds. A shorter gap may be within a word. */
const leastPauseSeconds = 0.3;

/** Seconds by which adjacent chunks may seem to overlap: both ends of a measured chunk may be off by the tolerance. */
const seemingOverlapSeconds = 2 * cutToleranceSeconds;

/** Engines place a word up to half a second off near the edge of a chunk, and estimated times are off by more. */
const toleranceSeconds = { known: 1, estimated: 4 };

/** Words of a side that are aligned. Ten minutes of talk have fewer; time and memory grow with the square. */
const mostAligned = 2_000;

interface Place {
  word: SpokenWord;
  segment: SpokenSegment;
  /** Position in the chunk. */
  index: number;
}

interface Pair {
  left: Place;
  right: Place;
}

/**
 * Removes from each chunk the words that a neighbour has, too (pure). The words of the overlap are aligned by text and time, and the
 * chunks are joined at the aligned word that is nearest to the middle of the overlap. Without such a word, the longest pause
 * in the overlap decides, or its middle. All words are kept if only one side has words in the overlap.
 */
export function joinChunks(chunks: readonly SpokenChunk[]): { chunks: SpokenSegment[][]; joins: Joins } {
  const joins = { words: 0, pause: 0, middle: 0 };
  const ranges = chunks.map(({ segments }) => ({ from: 0, to: segments.flatMap(({ words }) => words).length }));
  // Neighbours of a chunk without words may overlap, too.
  const withWords = chunks.flatMap((chunk, index) => {
    const range = ranges[index];
    return range === undefined || range.to === 0 ? [] : [{ chunk, range }];
  });
  for (const [position, { chunk: right, range: rightRange }] of withWords.entries()) {
    const { chunk: left, range: leftRange } = withWords[position - 1] ?? {};
    if (left === undefined || leftRange === undefined) continue;
    if (roundToMilliseconds(left.end - right.start) <= seemingOverlapSeconds) continue;
    const cut = cutBetween(left, right, leftRange);
    [leftRange.to, rightRange.from] = [Math.max(cut.leftTo, leftRange.from), cut.rightFrom];
    joins[cut.by] += 1;
  }
  const kept = chunks.map(({ segments }, index) => keepWords(segments, ranges[index] ?? { from: 0, to: 0 }));
  return { chunks: kept, joins };
}

function cutBetween(
  left: SpokenChunk,
  right: SpokenChunk,
  leftRange: { from: number; to: number },
): { leftTo: number; rightFrom: number; by: keyof Joins } {
  const leftPlaces = placesOf(left).slice(leftRange.from);
  const rightPlaces = placesOf(right);
  const tolerance = toleranceSeconds[left.hasWordTimes && right.hasWordTimes ? 'known' : 'estimated'];
  const middle = (right.start + left.end) / 2;
  const pair = pairAt(
    nearestTo(
      middle,
      leftPlaces.filter(({ word }) => word.end >= right.start - tolerance),
    ),
    nearestTo(
      middle,
      rightPlaces.filter(({ word }) => word.start <= left.end + tolerance),
    ),
    { middle, tolerance },
  );
  if (pair !== undefined) {
    // Each side is used where it has more context: the left one before the middle.
    const isLeft = middleOf(pair.left.word) < middle;
    const after = isLeft ? 1 : 0;
    return { leftTo: pair.left.index + after, rightFrom: pair.right.index + after, by: 'words' };
  }
  const isSilent =
    !leftPlaces.some(({ word }) => word.end > right.start) || !rightPlaces.some(({ word }) => word.start < left.end);
  // If one side has no word in the overlap, no word of the other side is repeated.
  if (isSilent) return { leftTo: leftRange.to, rightFrom: 0, by: 'pause' };
  const pause = longestPause([...leftPlaces, ...rightPlaces], { start: right.start, end: left.end });
  const border = pause ?? middle;
  const isAfter = ({ word, segment }: Place, { hasWordTimes }: SpokenChunk) =>
    middleOf(hasWordTimes ? word : segment) >= border;
  return {
    leftTo: leftPlaces.find((place) => isAfter(place, left))?.index ?? leftRange.to,
    rightFrom: rightPlaces.find((place) => isAfter(place, right))?.index ?? rightPlaces.length,
    by: pause === undefined ? 'middle' : 'pause',
  };
}

/** The words nearest to the middle of the overlap, in their order. */
function nearestTo(middle: number, places: readonly Place[]): readonly Place[] {
  if (places.length <= mostAligned) return places;
  const distance = ({ word }: Place): number => Math.abs(middleOf(word) - middle);
  const nearest = places.toSorted((one, other) => distance(one) - distance(other)).slice(0, mostAligned);
  return nearest.toSorted((one, other) => one.index - other.index);
}

/** Middle of the longest time in which neither side has a word. Undefined if there is no pause. */
function longestPause(places: readonly Place[], overlap: { start: number; end: number }): number | undefined {
  const words = places.map(({ word }) => word).toSorted((one, other) => one.start - other.start);
  let longest = { start: overlap.start, end: overlap.start };
  let at = overlap.start;
  for (const { start, end } of [...words, { start: overlap.end, end: overlap.end }]) {
    const until = Math.min(start, overlap.end);
    if (until - at > longest.end - longest.start) longest = { start: at, end: until };
    at = Math.max(at, end);
  }
  return longest.end - longest.start < leastPauseSeconds ? undefined : middleOf(longest);
}

/** Returns the pair nearest to the middle of the longest run of aligned words. A single word, such as "the", may be aligned by chance. */
function pairAt(
  left: readonly Place[],
  right: readonly Place[],
  { middle, tolerance }: { middle: number; tolerance: number },
): Pair | undefined {
  const runs: Pair[][] = [];
  for (const pair of alignWords(left, right, tolerance)) {
    const last = runs.at(-1)?.at(-1);
    const follows = last?.left.index === pair.left.index - 1 && last.right.index === pair.right.index - 1;
    if (follows) runs.at(-1)?.push(pair);
    else runs.push([pair]);
  }
  const longest = Math.max(0, ...runs.map(({ length }) => length));
  const distance = ({ left: { word } }: Pair) => Math.abs(middleOf(word) - middle);
  return runs
    .filter(({ length }) => length === longest)
    .flat()
    .toSorted((one, other) => distance(one) - distance(other))[0];
}

/** Longest common subsequence of the words, among words at nearly the same time. */
function alignWords(left: readonly Place[], right: readonly Place[], tolerance: number): Pair[] {
  const [leftKeys, rightKeys] = [left.map(keyOf), right.map(keyOf)];
  const isSame = (i: number, j: number) =>
    leftKeys[i] !== '' &&
    leftKeys[i] === rightKeys[j] &&
    Math.abs(middleOf(left[i]?.word) - middleOf(right[j]?.word)) <= tolerance;
  return commonSubsequence(left.length, right.length, isSame).flatMap(([i, j]) => {
    const [leftPlace, rightPlace] = [left[i], right[j]];
    return leftPlace === undefined || rightPlace === undefined ? [] : [{ left: leftPlace, right: rightPlace }];
  });
}

/** Letters and digits alone: punctuation and capitals differ where one side begins or ends a chunk. */
function keyOf({ word }: Place): string {
  return word.text.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]/gu, '');
}

function middleOf(part: { start: number; end: number } | undefined): number {
  return part === undefined ? 0 : (part.start + part.end) / 2;
}

function placesOf({ segments }: SpokenChunk): Place[] {
  return segments
    .flatMap((segment) => segment.words.map((word) => ({ word, segment })))
    .map((place, index) => ({ ...place, index }));
}

function keepWords(segments: readonly SpokenSegment[], { from, to }: { from: number; to: number }): SpokenSegment[] {
  let position = 0;
  const kept: SpokenSegment[] = [];
  for (const { start, end, words } of segments) {
    const mine = words.slice(Math.max(0, from - position), Math.max(0, to - position));
    position += words.length;
    const [first, last] = [mine[0], mine.at(-1)];
    if (first === undefined || last === undefined) continue;
    kept.push({
      start: first === words[0] ? start : first.start,
      end: last === words.at(-1) ? end : last.end,
      words: mine,
    });
  }
  return kept;
}
