/**
 * When each of so many runs in the line begins, in seconds from now: as soon as a container is free, each for as long as jobs typically
 * take. `freeInSeconds`: of each container; undefined where that is not known. What follows from something unknown is unknown.
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

/** The same where it has hardly changed: each viewer is told of what differs. */
export function steadyStart(before: string | undefined, expectedMs: number, nowMs: number): string {
  const slackMs = Math.max(5_000, (expectedMs - nowMs) / 5);
  const isNear = before !== undefined && Math.abs(Date.parse(before) - expectedMs) <= slackMs;
  return isNear && Date.parse(before) >= nowMs ? before : new Date(Math.max(expectedMs, nowMs)).toISOString();
}
