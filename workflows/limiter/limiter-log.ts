import { log } from '@temporalio/workflow';
import type { LimiterEvent } from './limiter-event.ts';

/** One line for each event, with its facts as fields. */
export function logLimiterEvent(key: string, event: LimiterEvent): void {
  const { kind, ...facts } = event;
  const fields = { event: kind, provider: key, ...facts };
  switch (event.kind) {
    case 'permit_granted':
      log.info(`Limiter ${key}: granted ${event.permitId} to ${event.holder}`, fields);
      return;
    case 'permit_expired':
      log.warn(`Limiter ${key}: ${event.permitId} of ${event.holder} expired`, fields);
      return;
    case 'permit_adopted':
      log.info(`Limiter ${key}: adopted ${event.permitId} of ${event.holder}`, fields);
      return;
    case 'late_report':
      log.warn(`Limiter ${key}: ignored the report of ${event.permitId}, which has ended`, fields);
      return;
    case 'rate_limited':
      log.warn(`Limiter ${key}: the provider limits the rate: ${event.message}`, fields);
      return;
    case 'throttled':
      log.warn(`Limiter ${key}: suspended for ${event.seconds}s: ${event.reason}`, fields);
      return;
    case 'resumed':
      log.info(`Limiter ${key}: resumed${event.override ? ' by an operator' : ''}`, fields);
      return;
    case 'breaker_opened':
      log.warn(`Limiter ${key}: opened the breaker for ${event.seconds}s: ${event.message}`, fields);
      return;
    case 'breaker_closed':
      log.info(`Limiter ${key}: closed the breaker`, fields);
      return;
    case 'holder_lost':
      log.warn(`Limiter ${key}: ${event.holder} has closed; dropped its permits and requests`, fields);
      return;
    case 'limits_set':
      log.info(`Limiter ${key}: limits set by an operator`, fields);
  }
}

/** Signals return nothing, so the sender learns of a refusal only from the log. */
export function logRefusedSignal(key: string, name: string, signal: unknown): void {
  const fields = { event: 'refused_signal', provider: key, signal: JSON.stringify(signal) };
  log.warn(`Limiter ${key}: refused the invalid signal ${name}`, fields);
}
