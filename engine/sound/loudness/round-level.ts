/** Hundredths of dB are more than anybody hears; null where there is nothing. */
export function roundLevel(decibels: number): number | null {
  return Number.isFinite(decibels) ? Math.round(decibels * 100) / 100 : null;
}
