import { log } from '@temporalio/workflow';
import type { LimiterEvent } from './limiter-event.ts';

export function logLimiterEvent(key: string, event: LimiterEvent): void {
  const { kind, ...facts } = event;
  const level = warnings.has(kind) ? 'warn' : 'info';
  log[level](`Limiter ${key}: ${sentenceOf(event)}`, { event: kind, provider: key, ...facts });
}

const warnings: ReadonlySet<LimiterEvent['kind']> = new Set([
  'permit_expired',
  'late_report',
  'rate_limited',
  'throttled',
  'breaker_opened',
  'holder_lost',
]);

function sentenceOf(event: LimiterEvent): string {
  switch (event.kind) {
    case 'permit_granted':
      return `granted ${event.permitId} to ${event.holder}`;
    case 'permit_expired':
      return `${event.permitId} of ${event.holder} expired`;
    case 'permit_adopted':
      return `adopted ${event.permitId} of ${event.holder}`;
    case 'late_report':
      return `ignored the report of ${event.permitId}, which has ended`;
    case 'rate_limited':
      return `the provider limits the rate: ${event.message}`;
    case 'throttled':
      return `suspended for ${event.seconds}s: ${event.reason}`;
    case 'resumed':
      return `resumed${event.override ? ' by an operator' : ''}`;
    case 'breaker_opened':
      return `opened the breaker for ${event.seconds}s: ${event.message}`;
    case 'breaker_closed':
      return 'closed the breaker';
    case 'holder_lost':
      return `${event.holder} has closed; dropped its permits and requests`;
    case 'limits_set':
      return 'limits set by an operator';
  }
}

/** Signals return nothing, so the sender learns of a refusal only from the log. */
export function logRefusedSignal(key: string, name: string, signal: unknown): void {
  const fields = { event: 'refused_signal', provider: key, signal: JSON.stringify(signal) };
  log.warn(`Limiter ${key}: refused the invalid signal ${name}`, fields);
}
