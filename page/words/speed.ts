export interface Mark {
  atMs: number;
  sent: number;
}

/** Window over which the speed is averaged. */
const windowMs = 4_000;

/** Adds a mark, and drops those that are too old, or from before a break. */
export function addMark(marks: readonly Mark[], mark: Mark): Mark[] {
  const last = marks.at(-1);
  if (last !== undefined && (mark.atMs - last.atMs > windowMs || mark.sent < last.sent)) return [mark];
  return [...marks.filter(({ atMs }) => mark.atMs - atMs <= windowMs), mark];
}

/** Bytes per second; 0 as long as it is unknown. */
export function speedOf(marks: readonly Mark[]): number {
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined || first.atMs === last.atMs) return 0;
  return ((last.sent - first.sent) * 1000) / (last.atMs - first.atMs);
}
