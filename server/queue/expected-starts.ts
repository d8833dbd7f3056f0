/**
 * Expected start of each queued run, in seconds from now; undefined if unknown. Each run takes the first free container
 * for the typical time of a job. `freeInSeconds` has one entry per container; an unknown one counts as the typical
 * time.
 */
export function expectedStarts(
  queued: number,
  freeInSeconds: readonly (number | undefined)[],
  typicalSeconds: number | undefined,
): (number | undefined)[] {
  const free = freeInSeconds.map((seconds) => seconds ?? typicalSeconds ?? Infinity);
  const starts: (number | undefined)[] = [];
  for (let index = 0; index < queued; index += 1) {
    free.sort((a, b) => a - b);
    const [next = Infinity] = free;
    starts.push(Number.isFinite(next) ? next : undefined);
    free[0] = next + (typicalSeconds ?? Infinity);
  }
  return starts;
}

/** Keeps the previous start if the new one differs little, so that viewers get fewer updates. */
export function steadyStart(before: string | undefined, expectedMs: number, nowMs: number): string {
  const slackMs = Math.max(5_000, (expectedMs - nowMs) / 5);
  const isNear = before !== undefined && Math.abs(Date.parse(before) - expectedMs) <= slackMs;
  return isNear && Date.parse(before) >= nowMs ? before : new Date(Math.max(expectedMs, nowMs)).toISOString();
}
