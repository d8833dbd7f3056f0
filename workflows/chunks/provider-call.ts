import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { providerFailed, unknownProvider } from '../../contract/workflow/failure.ts';
import type { ProviderCall, ProviderFailure } from '../../contract/provider-call.ts';
import type { Grant } from '../limiter/client/permits.ts';
import { callOutcome, type CallOutcome } from './call-outcome.ts';
import { providerActivities } from '../proxies.ts';

/** Of a permit's time: for the chunk's first byte, and for the clocks of two machines. */
const permitMarginMs = 5_000;

export type ProviderCallEnd = { kind: 'ok' } | { kind: 'lost'; reason: string } | (CallOutcome & { message: string });

/** One call under one permit. A call that Temporal gave up was none, and is told apart from one that never began. */
export async function providerCall(
  call: Omit<ProviderCall, 'provider' | 'permitUntil'>,
  grant: Grant,
  summary: string,
): Promise<ProviderCallEnd> {
  const { key, timeoutSeconds } = grant.provider;
  const startWithinMs = grant.expiresAtMs - Date.now() - timeoutSeconds * 1000 - permitMarginMs;
  if (!grant.degraded && startWithinMs <= 0) return { kind: 'unused', message: 'The permit came too late' };
  const permitUntil = new Date(grant.expiresAtMs).toISOString();
  try {
    await providerActivities(
      grant.provider,
      grant.degraded ? undefined : startWithinMs,
    ).processChunk.executeWithOptions({ summary }, [
      { ...call, provider: key, ...(!grant.degraded && { permitUntil }) },
    ]);
    return { kind: 'ok' };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return endOfFailed(error);
  }
}

function endOfFailed({ cause, message }: ActivityFailure): ProviderCallEnd {
  if (cause instanceof ApplicationFailure) {
    if (cause.type === providerFailed) {
      return { ...callOutcome(cause.details?.[0] as ProviderFailure, cause.message), message: cause.message };
    }
    // Another worker's settings are not ours. No provider is to blame, and no other try finds another worker for sure.
    if (cause.type === unknownProvider) {
      return { kind: 'not_stored', error: 'unknown_provider', again: false, message: cause.message };
    }
  }
  // All slots of all workers were taken for as long as the permit lived.
  if (cause instanceof TimeoutFailure && String(cause.timeoutType).includes('SCHEDULE_TO_START')) {
    return { kind: 'unused', message: 'No worker was free for it in the time of its permit' };
  }
  return { kind: 'lost', reason: cause?.message ?? message };
}
