/** More comparisons would keep the page busy; such texts share only their beginning and end. */
const mostComparisons = 1_000_000;

/** The pairs of indexes of a longest common subsequence of two texts, in order (pure). */
export function matchWords(before: readonly string[], after: readonly string[]): [before: number, after: number][] {
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first += 1;
  let last = 0;
  const most = Math.min(before.length, after.length) - first;
  while (last < most && before.at(-1 - last) === after.at(-1 - last)) last += 1;
  const middle = matchMiddle(before.slice(first, before.length - last), after.slice(first, after.length - last));
  return [
    ...Array.from({ length: first }, (_, index): [number, number] => [index, index]),
    ...middle.map(([one, other]): [number, number] => [one + first, other + first]),
    ...Array.from({ length: last }, (_, index): [number, number] => {
      const fromEnd = last - index;
      return [before.length - fromEnd, after.length - fromEnd];
    }),
  ];
}

function matchMiddle(before: readonly string[], after: readonly string[]): [number, number][] {
  if (before.length * after.length > mostComparisons) return [];
  const width = after.length + 1;
  /** Length of the longest common subsequence from each pair of indexes on. */
  const lengths = new Uint16Array((before.length + 1) * width);
  const lengthAt = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = before.length - 1; one >= 0; one -= 1) {
    for (let other = after.length - 1; other >= 0; other -= 1) {
      lengths[one * width + other] =
        before[one] === after[other]
          ? lengthAt(one + 1, other + 1) + 1
          : Math.max(lengthAt(one + 1, other), lengthAt(one, other + 1));
    }
  }
  const pairs: [number, number][] = [];
  let [one, other] = [0, 0];
  while (one < before.length && other < after.length) {
    if (before[one] === after[other]) {
      pairs.push([one, other]);
      [one, other] = [one + 1, other + 1];
    } else if (lengthAt(one + 1, other) >= lengthAt(one, other + 1)) one += 1;
    else other += 1;
  }
  return pairs;
}
