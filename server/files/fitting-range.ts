/**
 * A suffix range longer than the file asks for the whole file (RFC 9110, 14.1.2). The module `send`, which serves our files, would refuse
 * it.
 */
export function fittingRange(range: string, bytes: number): string {
  if (bytes === 0) return range;
  return range.replaceAll(/(?<=[=,]\s*)-(\d+)/g, (last, count: string) => (Number(count) > bytes ? '0-' : last));
}
