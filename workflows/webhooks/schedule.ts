import type { WebhookTry } from '../../contract/workflow/webhook.ts';

/** Seconds before the second try and each later one (Standard Webhooks, "Retry schedule"): three days in all. */
const waitsSeconds = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600] as const;

/** The longest that a receiver may ask for, which is the schedule's own. */
const mostSeconds = 24 * 3600;

export type NextTry =
  { kind: 'delivered' } | { kind: 'wait'; seconds: number; reason: string } | { kind: 'ended'; reason: string };

/** What follows a try (pure). `tries` counts it. */
export function nextTry({ kind, message, retryAfterSeconds }: WebhookTry, tries: number): NextTry {
  if (kind === 'delivered') return { kind: 'delivered' };
  if (kind !== 'failed') return { kind: 'ended', reason: message };
  const scheduled = waitsSeconds[tries - 1];
  if (scheduled === undefined) return { kind: 'ended', reason: `${message}; it was tried ${tries} times` };
  const seconds = retryAfterSeconds === undefined ? scheduled : Math.min(retryAfterSeconds, mostSeconds);
  return { kind: 'wait', seconds, reason: message };
}
