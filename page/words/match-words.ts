import { commonSubsequence } from '../../contract/transcript/common-subsequence.ts';

/** More comparisons would keep the page busy; such texts share only their beginning and end. */
const mostComparisons = 1_000_000;

/** The pairs of indexes of a longest common subsequence of two texts, in order (pure). */
export function matchWords(before: readonly string[], after: readonly string[]): [before: number, after: number][] {
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first += 1;
  let last = 0;
  const most = Math.min(before.length, after.length) - first;
  while (last < most && before.at(-1 - last) === after.at(-1 - last)) last += 1;
  const [beforeLength, afterLength] = [before.length - first - last, after.length - first - last];
  const isSame = (one: number, other: number): boolean => before[first + one] === after[first + other];
  const middle =
    beforeLength * afterLength > mostComparisons ? [] : commonSubsequence(beforeLength, afterLength, isSame);
  return [
    ...Array.from({ length: first }, (_, index): [number, number] => [index, index]),
    ...middle.map(([one, other]): [number, number] => [one + first, other + first]),
    ...Array.from({ length: last }, (_, index): [number, number] => {
      const fromEnd = last - index;
      return [before.length - fromEnd, after.length - fromEnd];
    }),
  ];
}
