/** dBFS of a mean square; a square wave at full scale is 0. */
export function powerDb(power: number): number {
  return power <= 0 ? -Infinity : 10 * Math.log10(power);
}
