/** Part of a line of facts. The part with the highest rank is left out first; parts of rank 0 stay. */
interface LinePart {
  text: string;
  rank: number;
}

const separator = ' · ';

/** Joins parts into a line of at most `width` characters. Without another way, the first part is cut. */
export function fitLine(parts: readonly LinePart[], width: number): string {
  let kept = [...parts];
  const line = (): string => kept.map(({ text }) => text).join(separator);
  while (line().length > width) {
    const highest = Math.max(...kept.map(({ rank }) => rank));
    if (highest === 0) break;
    kept = kept.toSpliced(
      kept.findLastIndex(({ rank }) => rank === highest),
      1,
    );
  }
  const excess = line().length - width;
  const [first, ...others] = kept;
  if (first === undefined || excess <= 0) return line();
  const room = Math.max(0, first.text.length - excess - 1);
  kept = [{ ...first, text: `${first.text.slice(0, room)}…` }, ...others];
  return line();
}
