import { log } from '@temporalio/workflow';
import type { GateEvent } from './rate-limiter.ts';

/** One line for each event, with its facts as fields; the worker's counters follow the same lines. */
export function logGateEvent(key: string, event: GateEvent): void {
  const { kind, ...facts } = event;
  const fields = { event: kind, provider: key, ...facts };
  switch (event.kind) {
    case 'permit_granted':
      log.info(`Gate ${key}: granted ${event.permitId} to ${event.holder}`, fields);
      return;
    case 'permit_expired':
      log.warn(`Gate ${key}: ${event.permitId} of ${event.holder} expired`, fields);
      return;
    case 'permit_adopted':
      log.info(`Gate ${key}: adopted ${event.permitId} of ${event.holder}`, fields);
      return;
    case 'late_report':
      log.warn(`Gate ${key}: ignored the report of ${event.permitId}, which is over`, fields);
      return;
    case 'rate_limited':
      log.warn(`Gate ${key}: the provider limits the rate: ${event.message}`, fields);
      return;
    case 'throttled':
      log.warn(`Gate ${key}: suspended for ${event.seconds}s: ${event.reason}`, fields);
      return;
    case 'resumed':
      log.info(`Gate ${key}: resumed${event.byHand ? ' by hand' : ''}`, fields);
      return;
    case 'breaker_opened':
      log.warn(`Gate ${key}: opened the breaker for ${event.seconds}s: ${event.message}`, fields);
      return;
    case 'breaker_closed':
      log.info(`Gate ${key}: closed the breaker`, fields);
      return;
    case 'holder_lost':
      log.warn(`Gate ${key}: ${event.holder} is closed; dropped what it held and waited for`, fields);
      return;
    case 'limits_set':
      log.info(`Gate ${key}: limits set by hand`, fields);
  }
}

/** Whoever sent it reads in the log why nothing came of it. */
export function logRefusedSignal(key: string, name: string, signal: unknown): void {
  const fields = { event: 'refused_signal', provider: key, signal: JSON.stringify(signal) };
  log.warn(`Gate ${key}: refused the signal ${name}, which makes no sense`, fields);
}
