/** Degrees clockwise. */
export type Turn = 0 | 90 | 180 | 270;

/**
 * Filters that turn pictures. After `vflip` alone, their lines would be read backwards, which makes SVT-AV1 hang.
 */
export const turnFilters: Record<Turn, readonly string[]> = {
  0: [],
  90: ['transpose=dir=clock'],
  180: ['vflip', 'hflip'],
  270: ['transpose=dir=cclock'],
};

/** Filters that undo a turn. */
export const turnBackFilters: Record<Turn, readonly string[]> = {
  ...turnFilters,
  90: turnFilters[270],
  270: turnFilters[90],
};

/**
 * Turn that ffmpeg makes for `rotation`, which ffprobe states counterclockwise. ffmpeg turns by a quarter from 89
 * degrees on, and ffprobe cuts off the fraction.
 */
export function turnOf(rotation: number): Turn {
  const degrees = Math.trunc(Math.abs(rotation));
  if (degrees === 89 || degrees === 90) return rotation < 0 ? 90 : 270;
  return degrees === 179 || degrees === 180 ? 180 : 0;
}
