import type { WebhookTry } from '../../contract/workflow/webhook.ts';

/** Seconds before the second try and each later one (Standard Webhooks, "Retry schedule"): three days in all. */
const waitsSeconds = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600] as const;

const mostSeconds = 24 * 3600;

export type NextTry =
  { kind: 'delivered' } | { kind: 'wait'; seconds: number; reason: string } | { kind: 'ended'; reason: string };

/** Decides what follows a try (pure). `tries` includes this try; `elapsedSeconds` counts from the first. */
export function nextTry(
  { kind, message, retryAfterSeconds }: WebhookTry,
  { tries, elapsedSeconds }: { tries: number; elapsedSeconds: number },
): NextTry {
  if (kind === 'delivered') return { kind: 'delivered' };
  if (kind !== 'failed') return { kind: 'ended', reason: message };
  const scheduled = waitsSeconds[tries - 1];
  if (scheduled !== undefined) return { kind: 'wait', seconds: ownWait(retryAfterSeconds, scheduled), reason: message };
  const left = secondsToPlace(elapsedSeconds);
  if (left === undefined) return { kind: 'ended', reason: `${message}; gave up after ${tries} tries` };
  return { kind: 'wait', seconds: Math.max(left, ownWait(retryAfterSeconds, 0)), reason: message };
}

function ownWait(retryAfterSeconds: number | undefined, otherwise: number): number {
  return retryAfterSeconds === undefined ? otherwise : Math.min(retryAfterSeconds, mostSeconds);
}

/**
 * Seconds until the next time in the schedule, counted from the first try. A receiver that asks for short waits uses up
 * its tries early; the remaining tries follow the schedule.
 */
function secondsToPlace(elapsedSeconds: number): number | undefined {
  let place = 0;
  for (const seconds of waitsSeconds) {
    place += seconds;
    if (place > elapsedSeconds) return place - elapsedSeconds;
  }
  return undefined;
}
