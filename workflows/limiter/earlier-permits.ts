/** Permits of an earlier limiter of the key, which was terminated. A new limiter learns of them only from their holders. */
export interface EarlierPermits {
  /** ms of the epoch at which the last of them has expired */
  untilMs: number;
  /** Ids that a holder has named: those permits are adopted or have ended. */
  accounted: string[];
}

export const noneLeft: EarlierPermits = { untilMs: 0, accounted: [] };

/** Permits that the earlier limiter may have granted and that no holder has named. */
export function countUnaccounted(earlier: EarlierPermits | undefined, maxConcurrent: number, nowMs: number): number {
  if (earlier === undefined || earlier.untilMs <= nowMs) return 0;
  return Math.max(0, maxConcurrent - earlier.accounted.length);
}

export function account(earlier: EarlierPermits, permitId: string): EarlierPermits {
  // A holder may repeat a message.
  if (earlier.accounted.includes(permitId)) return earlier;
  return { ...earlier, accounted: [...earlier.accounted, permitId] };
}
