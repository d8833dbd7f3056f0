/** Seconds with three decimals, as in all results. */
export function roundToMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
