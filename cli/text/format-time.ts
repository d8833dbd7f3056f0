/** "14:05:00", in the time zone of this machine */
export function formatClockTime(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** "14:05:00", with the date in front unless it is today. */
export function formatDayAndTime(time: Date, now = new Date()): string {
  const isToday = time.toDateString() === now.toDateString();
  return isToday ? formatClockTime(time) : `${time.toDateString()} ${formatClockTime(time)}`;
}

/** "14:05", "Nov 27 14:05" on another day, or "Nov 27 2025" in another year. */
export function formatDayAndMinute(time: Date, now: Date): string {
  const day = time.toLocaleDateString('en-US', { month: 'short', day: 'numeric' });
  if (time.getFullYear() !== now.getFullYear()) return `${day} ${time.getFullYear()}`;
  const minute = formatClockTime(time).slice(0, '14:05'.length);
  return time.toDateString() === now.toDateString() ? minute : `${day} ${minute}`;
}
