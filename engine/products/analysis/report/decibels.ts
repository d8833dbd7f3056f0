/** dBFS of a mean square: 0 of a square wave at full scale. */
export function powerDb(power: number): number {
  return power <= 0 ? -Infinity : 10 * Math.log10(power);
}
