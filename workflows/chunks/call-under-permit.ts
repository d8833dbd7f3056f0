import { ActivityFailure, ApplicationFailure, isCancellation, patched, TimeoutFailure } from '@temporalio/workflow';
import { providerFailed, unknownProvider } from '../../contract/workflow/failure.ts';
import type { TaskPriority } from '../../contract/workflow/priority.ts';
import type { ProviderCall, ProviderFailure } from '../../contract/provider-call.ts';
import type { CallOutcome } from '../limiter/client/call-outcome.ts';
import type { Grant } from '../limiter/client/run-permits.ts';
import { providerActivities } from '../proxies.ts';
import { judgeFailure } from './judge-failure.ts';

/** Reserved from the permit's time to read the chunk before the call and to store the answer after it. */
const permitMarginMs = 5_000;

/**
 * Makes one call to a provider. Under a limiter's permit, the call starts only if its time limit fits into the permit.
 * Half of the spare time is for reaching a worker, half for reading the chunk and storing the answer.
 */
export async function callUnderPermit(
  call: Omit<ProviderCall, 'provider' | 'permitMs' | 'runId'>,
  grant: Grant,
  { summary, priority }: { summary: string; priority: TaskPriority | undefined },
): Promise<CallOutcome> {
  const { key, timeoutSeconds } = grant.provider;
  const leftMs = grant.expiresAtMs - Date.now();
  const spareMs = leftMs - timeoutSeconds * 1000 - permitMarginMs;
  if (!grant.degraded && spareMs <= 0) return { kind: 'unused', message: 'The permit arrived too late', called: false };
  // The server's clock limits the start. Durations limit the rest, because the worker's clock may differ.
  const startWithinMs = Math.ceil(spareMs / 2);
  try {
    await providerActivities(
      grant.provider,
      grant.degraded ? undefined : startWithinMs,
      priority,
    ).processChunk.executeWithOptions({ summary }, [
      { ...call, provider: key, runId: grant.runId, ...(!grant.degraded && { permitMs: leftMs - startWithinMs }) },
    ]);
    return { kind: 'ok' };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return judgeActivityFailure(error);
  }
}

function judgeActivityFailure({ cause, message }: ActivityFailure): CallOutcome {
  if (cause instanceof ApplicationFailure) {
    if (cause.type === providerFailed)
      return judgeProviderFailure(cause.details?.[0] as ProviderFailure, cause.message);
    // The worker's PROVIDERS_FILE differs from that of the worker that returned the policy. A retry may meet the same worker.
    if (cause.type === unknownProvider) {
      return {
        kind: 'failed',
        fault: 'worker',
        error: 'unknown_provider',
        message: cause.message,
        retryable: false,
      };
    }
  }
  // No worker had a free slot in time, so the call did not start.
  if (cause instanceof TimeoutFailure && String(cause.timeoutType).includes('SCHEDULE_TO_START')) {
    return { kind: 'unused', message: 'No worker was free while the permit was valid', called: false };
  }
  return { kind: 'lost', message: cause?.message ?? message };
}

function judgeProviderFailure(failure: ProviderFailure, message: string): CallOutcome {
  const outcome = judgeFailure(failure, message);
  if (outcome.kind !== 'unauthorized' || failure.kind !== 'answered') return outcome;
  // Older versions failed the chunk here and continued with the next one.
  if (!patched('unauthorized-ends-chunks'))
    return { kind: 'failed', fault: 'provider', error: `http_${failure.status}`, message, retryable: false };
  if (outcome.forbidden !== true || patched('a-403-suspends-the-key-for-its-run')) return outcome;
  // Older versions suspended the key for all runs.
  return { kind: 'unauthorized', message, called: true };
}
