/** A time in a recording: "00:12.3", "1:02:03.4" */
export function formatPlace(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(tenths / 36_000), (tenths / 600) % 60, (tenths % 600) / 10];
  return `${hours > 0 ? `${hours}:` : ''}${two(minutes)}:${rest.toFixed(1).padStart(4, '0')}`;
}
