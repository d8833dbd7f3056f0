/** Temporal's Timestamp or Duration. */
export interface TemporalTime {
  seconds?: unknown;
  nanos?: number | null;
}

/** The time in milliseconds; 0 if it is missing. */
export function millisecondsOf(time: TemporalTime | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
