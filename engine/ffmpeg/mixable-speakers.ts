/** ffmpeg's names of speakers that it mixes only as pairs. */
const pairs = [
  ['FL', 'FR'],
  ['SL', 'SR'],
  ['BL', 'BR'],
  ['FLC', 'FRC'],
] as const;

/**
 * False for speakers without a named layout that ffmpeg refuses to mix: without one at the front, or with half of a pair
 * (`sane_layout` in libswresample/rematrix.c). `layout` is ffmpeg's description, such as `3 channels (FL+FR+BL)`.
 */
export function isMixable(layout: string): boolean {
  const [, list] = /^\d+ channels \((.+)\)$/.exec(layout) ?? [];
  if (list === undefined) return true;
  const speakers = new Set(list.split('+'));
  const isAtFront = ['FL', 'FR', 'FC'].some((name) => speakers.has(name));
  return isAtFront && pairs.every(([left, right]) => speakers.has(left) === speakers.has(right));
}
