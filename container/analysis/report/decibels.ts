/** Hundredths are more than anybody hears; null where there is nothing. */
export function roundLevel(decibels: number): number | null {
  return Number.isFinite(decibels) ? Math.round(decibels * 100) / 100 : null;
}

/** dBFS of a mean square: 0 of a square wave at full scale. */
export function powerDb(power: number): number {
  return power <= 0 ? -Infinity : 10 * Math.log10(power);
}
