/** "14:05:00", in the time zone of this machine */
export function formatClockTime(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** "14:05:00", with the date in front unless it is today. */
export function formatDayAndTime(time: Date, now = new Date()): string {
  const isToday = time.toDateString() === now.toDateString();
  return isToday ? formatClockTime(time) : `${time.toDateString()} ${formatClockTime(time)}`;
}
