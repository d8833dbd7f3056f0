/** What ffprobe says of a stream's level, as people write it; undefined where the codec has none, or the stream does not say (pure). */
export function levelOf(codec: string, level: number | undefined): string | undefined {
  if (level === undefined || level < 0) return undefined;
  switch (codec) {
    case 'h264':
      // The one between 1 and 1.1.
      return level === 9 ? '1b' : String(level / 10);
    case 'hevc':
      return String(level / 30);
    case 'av1':
      // 31: no limits are kept.
      return level > 23 ? undefined : String(2 + (level >> 2) + (level & 3) / 10);
    default:
      return undefined;
  }
}

/** Whether a decoder of the level `most` decodes what is of this one (pure). */
export function isWithinLevel(found: string | undefined, most: string): boolean {
  return found !== undefined && (found === '1b' ? 1.05 : Number(found)) <= Number(most);
}
