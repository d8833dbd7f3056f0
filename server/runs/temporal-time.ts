/** Temporal's Timestamp or Duration in milliseconds; 0 if it is missing. */
export function millisecondsOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
