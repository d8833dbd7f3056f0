const clock = /^(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:\.\d+)?)$/;

/** Seconds of `90`, `1:30`, `1:02:03.5`; undefined for other texts. */
export function parseClock(text: string): number | undefined {
  const parts = clock.exec(text.trim());
  if (parts === null) return undefined;
  const [, hours = '0', minutes, seconds = ''] = parts;
  if (minutes !== undefined && Number(seconds) >= 60) return undefined;
  return Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
}
