/** Formats whose clock ffmpeg moves once more, where an offset is exactly the beginning of the file: to that of the streams in use. */
const discontinuousFormat = /^mpeg(?:ts)?$/;

/**
 * ffmpeg's options of an input whose clock is to begin `startSeconds` later: all its times are moved by as much, to the nearest tick.
 * The microsecond is less than half a tick of those formats.
 */
export function movedClock(startSeconds: number, formatName: string): string[] {
  const offset = discontinuousFormat.test(formatName) ? 1e-6 - startSeconds : -startSeconds;
  return ['-copyts', '-itsoffset', offset.toFixed(6)];
}
