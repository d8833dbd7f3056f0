/**
 * A `Range` whose last bytes are more than a file of so many bytes has asks for the whole file (RFC 9110, 14.1.2). What sends our files
 * would refuse it.
 */
export function fittingRange(range: string, bytes: number): string {
  if (bytes === 0) return range;
  return range.replaceAll(/(?<=[=,]\s*)-(\d+)/g, (last, count: string) => (Number(count) > bytes ? '0-' : last));
}
