/** Hundredths of a dB are finer than hearing. null for no value. */
export function roundLevel(decibels: number): number | null {
  return Number.isFinite(decibels) ? Math.round(decibels * 100) / 100 : null;
}
