import { ActivityFailure, ApplicationFailure, isCancellation, patched, TimeoutFailure } from '@temporalio/workflow';
import { providerFailed, unknownProvider } from '../../contract/workflow/failure.ts';
import type { TaskPriority } from '../../contract/workflow/priority.ts';
import type { ProviderCall, ProviderFailure } from '../../contract/provider-call.ts';
import type { CallOutcome } from '../limiter/client/call-outcome.ts';
import type { Grant } from '../limiter/client/run-permits.ts';
import { providerActivities } from '../proxies.ts';
import { judgeFailure } from './judge-failure.ts';

/** Kept free of a permit's time beside the call itself: to read the chunk before it and to store the answer after it. */
const permitMarginMs = 5_000;

/** One call to a provider. Under a permit of the limiter it starts only where its whole time limit fits into the permit's time: half of what is left beside that is for the way to a worker, half for the chunk and the answer. */
export async function callUnderPermit(
  call: Omit<ProviderCall, 'provider' | 'permitMs'>,
  grant: Grant,
  { summary, priority }: { summary: string; priority: TaskPriority | undefined },
): Promise<CallOutcome> {
  const { key, timeoutSeconds } = grant.provider;
  const leftMs = grant.expiresAtMs - Date.now();
  const spareMs = leftMs - timeoutSeconds * 1000 - permitMarginMs;
  if (!grant.degraded && spareMs <= 0) return { kind: 'unused', message: 'The permit came too late', called: false };
  // The server's clock sees to the start. From there on a duration holds, whatever the worker's clock says.
  const startWithinMs = Math.ceil(spareMs / 2);
  try {
    await providerActivities(
      grant.provider,
      grant.degraded ? undefined : startWithinMs,
      priority,
    ).processChunk.executeWithOptions({ summary }, [
      { ...call, provider: key, ...(!grant.degraded && { permitMs: leftMs - startWithinMs }) },
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
    // That worker's PROVIDERS_FILE differs from the one of the worker that gave us the policy. Another try may meet the same worker.
    if (cause.type === unknownProvider) {
      return {
        ...{ kind: 'failed', fault: 'worker', error: 'unknown_provider' },
        ...{ message: cause.message, retryable: false },
      };
    }
  }
  // No worker had a free slot for as long as the call could have started: it did not begin.
  if (cause instanceof TimeoutFailure && String(cause.timeoutType).includes('SCHEDULE_TO_START')) {
    return { kind: 'unused', message: 'No worker was free for it in the time of its permit', called: false };
  }
  return { kind: 'lost', message: cause?.message ?? message };
}

function judgeProviderFailure(failure: ProviderFailure, message: string): CallOutcome {
  const outcome = judgeFailure(failure, message);
  // A run that met this answer under the former version went on to its next chunk.
  if (outcome.kind !== 'unauthorized' || failure.kind !== 'answered' || patched('unauthorized-ends-chunks'))
    return outcome;
  return { kind: 'failed', fault: 'provider', error: `http_${failure.status}`, message, retryable: false };
}
