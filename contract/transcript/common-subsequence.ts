/** Pairs of indexes of a longest common subsequence, in order (pure). Time and memory are the product of the lengths. */
export function commonSubsequence(
  leftLength: number,
  rightLength: number,
  isSame: (left: number, right: number) => boolean,
): [left: number, right: number][] {
  const width = rightLength + 1;
  /** Length of the longest common subsequence from each pair of indexes on. */
  const lengths = new Uint16Array((leftLength + 1) * width);
  const lengthAt = (left: number, right: number): number => lengths[left * width + right] ?? 0;
  for (let left = leftLength - 1; left >= 0; left -= 1) {
    for (let right = rightLength - 1; right >= 0; right -= 1) {
      const skipped = Math.max(lengthAt(left + 1, right), lengthAt(left, right + 1));
      const paired = isSame(left, right) ? 1 + lengthAt(left + 1, right + 1) : 0;
      lengths[left * width + right] = Math.max(skipped, paired);
    }
  }
  const pairs: [number, number][] = [];
  for (let [left, right] = [0, 0]; left < leftLength && right < rightLength;) {
    const here = lengthAt(left, right);
    if (isSame(left, right) && here === 1 + lengthAt(left + 1, right + 1)) {
      pairs.push([left, right]);
      [left, right] = [left + 1, right + 1];
    } else if (here === lengthAt(left + 1, right)) left += 1;
    else right += 1;
  }
  return pairs;
}
