import type { RetryableOutcome } from '../run/retry-decision.ts';

const reasonText: Record<RetryableOutcome['kind'], string> = {
  rate_limited: 'Rate limited',
  connection_error: 'Connection error',
};

export function waitSummary(reason: RetryableOutcome['kind'], seconds: number, nowMs: number): string {
  return `${reasonText[reason]}: waiting ${seconds} s, until ${clockTime(nowMs + seconds * 1000)}`;
}

export function clockTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)}Z`;
}
