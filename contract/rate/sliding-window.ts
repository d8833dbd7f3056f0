/** Grants of the last hour in order, each time with its number of grants. */
export type SlidingWindow = readonly (readonly [atMs: number, count: number])[];

export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/** Grants beyond this number are counted per second, so that the window fits into the payload of a continued run. */
const exactEntries = 2_000;

export function addGrant(window: SlidingWindow, nowMs: number): SlidingWindow {
  const kept = dropOldGrants(window, nowMs);
  // Rounded up to the end of the second: a rounded entry must never leave the window too early.
  const atMs = kept.length < exactEntries ? nowMs : Math.ceil(nowMs / 1000) * 1000;
  const last = kept.at(-1);
  if (last !== undefined && last[0] >= atMs) return [...kept.slice(0, -1), [last[0], last[1] + 1]];
  return [...kept, [atMs, 1]];
}

/** Removes the grant of this time; its entry may have been rounded up to the end of the second. */
export function removeGrant(window: SlidingWindow, grantedAtMs: number): SlidingWindow {
  const index = window.findIndex(([atMs]) => atMs >= grantedAtMs);
  const entry = window[index];
  if (entry === undefined) return window;
  const [atMs, count] = entry;
  return window.toSpliced(index, 1, ...(count > 1 ? [[atMs, count - 1] as const] : []));
}

export function dropOldGrants(window: SlidingWindow, nowMs: number): SlidingWindow {
  const first = window.findIndex(([atMs]) => atMs > nowMs - hourMs);
  if (first === 0) return window;
  return first === -1 ? [] : window.slice(first);
}

/** Grants in the `spanMs` before now; a grant of exactly that age no longer counts. */
export function countWithin(window: SlidingWindow, spanMs: number, nowMs: number): number {
  let count = 0;
  for (let index = window.length - 1; index >= 0; index -= 1) {
    const entry = window[index];
    if (entry === undefined || entry[0] <= nowMs - spanMs) break;
    count += entry[1];
  }
  return count;
}

/** Earliest time at which one more grant respects `limit` in every `spanMs`; may be in the past. */
export function freeAtMs(window: SlidingWindow, spanMs: number, limit: number): number {
  let count = 0;
  for (let index = window.length - 1; index >= 0; index -= 1) {
    const entry = window[index];
    if (entry === undefined) break;
    count += entry[1];
    if (count >= limit) return entry[0] + spanMs;
  }
  return 0;
}
