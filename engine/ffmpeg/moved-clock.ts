/**
 * Formats whose clock ffmpeg shifts again, to the start of the streams in use, if an offset equals the start of the
 * file.
 */
const discontinuousFormat = /^mpeg(?:ts)?$/;

/**
 * ffmpeg input options that shift all times of the input by `startSeconds`, to the nearest tick. The extra microsecond
 * is less than half a tick of those formats.
 */
export function movedClock(startSeconds: number, formatName: string): string[] {
  const offset = discontinuousFormat.test(formatName) ? 1e-6 - startSeconds : -startSeconds;
  return ['-copyts', '-itsoffset', offset.toFixed(6)];
}
