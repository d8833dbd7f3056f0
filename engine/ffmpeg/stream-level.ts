/**
 * Formats ffprobe's level of a stream in the usual notation; undefined if the codec has no levels or the stream does
 * not state one.
 */
export function levelOf(codec: string, level: number | undefined): string | undefined {
  if (level === undefined || level < 0) return undefined;
  switch (codec) {
    case 'h264':
      // Level 1b lies between 1 and 1.1.
      return level === 9 ? '1b' : String(level / 10);
    case 'hevc':
      return String(level / 30);
    case 'av1':
      // 31: no limits apply.
      return level > 23 ? undefined : String(2 + (level >> 2) + (level & 3) / 10);
    default:
      return undefined;
  }
}

/** True if a decoder of level `most` can decode a stream of level `found`. */
export function isWithinLevel(found: string | undefined, most: string): boolean {
  return found !== undefined && (found === '1b' ? 1.05 : Number(found)) <= Number(most);
}
