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

/** Second row of a display matrix in ffprobe's text. */
const secondRow = /^00000001: +(-?\d+) +(-?\d+)/m;

/**
 * Turn of the lines that ffmpeg makes for `rotation`, which ffprobe states counterclockwise, and for the display matrix,
 * which may also mirror. ffmpeg turns by a quarter from 89 degrees on, and ffprobe cuts off the fraction.
 */
export function turnOf(rotation: number, matrix = ''): Turn {
  const degrees = Math.trunc(Math.abs(rotation));
  const [, toRight, down] = secondRow.exec(matrix)?.map(Number) ?? [];
  if (degrees === 89 || degrees === 90) return (toRight ?? rotation) < 0 ? 90 : 270;
  const isHalf = degrees === 179 || degrees === 180;
  if (!isHalf && degrees !== 0) return 0;
  // A matrix that mirrors from left to right has the rotation of a half turn, and one from top to bottom has none.
  return (down ?? (isHalf ? -1 : 1)) < 0 ? 180 : 0;
}
