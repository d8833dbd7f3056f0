/** Formats a time of a subtitle file: `01:02:03.456` in WebVTT and TTML, `01:02:03,456` in SubRip. */
export function formatCueTime(ms: number, point: '.' | ','): string {
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(ms % 1000).padStart(3, '0')}`;
}

/** Milliseconds of such a time, from the digits of its four parts. */
export function readCueTime([hours, minutes, seconds, ms]: readonly string[]): number {
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);
}
