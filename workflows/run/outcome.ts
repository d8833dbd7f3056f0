import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  ServerFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { AttemptState, FailedAttempt } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import { retryableFailureTypes } from '../../contract/workflow/failure.ts';
import type { RetryableOutcome } from './retry-decision.ts';
import { limitFailure } from './server-limit.ts';

/** How an attempt or one of its activities ended. A cancellation is thrown instead. */
export type Outcome<Result> =
  | { kind: 'succeeded'; result: Result }
  | { kind: 'retryable'; type: string; outcome: RetryableOutcome; failed: FailedAttempt }
  | { kind: 'fatal'; type: string; message: string; failed: FailedAttempt };

export async function outcomeOf<Result>(activity: Promise<Result>, state: AttemptState): Promise<Outcome<Result>> {
  const scheduledAtMs = Date.now();
  try {
    return { kind: 'succeeded', result: await activity };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure) return outcomeOfFailure(cause, state);
    if (cause instanceof ServerFailure) return outcomeOfFailure(limitFailure(cause), state);
    return outcomeOfTimeout(error, Date.now() - scheduledAtMs, state);
  }
}

function outcomeOfFailure<Result>(failure: ApplicationFailure, state: AttemptState): Outcome<Result> {
  const message = failure.message;
  const type = failure.type ?? failureType('internal');
  const failed = (failure.details?.[0] as FailedAttempt | undefined) ?? { ranMs: 0, state };
  const retryAfterSeconds = failed.retryAfterSeconds;
  switch (type) {
    case retryableFailureTypes.rateLimited:
      return { kind: 'retryable', type, outcome: { kind: 'rate_limited', message, retryAfterSeconds }, failed };
    case retryableFailureTypes.connectionError:
      return { kind: 'retryable', type, outcome: { kind: 'connection_error', message, retryAfterSeconds }, failed };
    case failureType('cancelled'):
      // A user cancelled the job at its container; the activity has asked Temporal to cancel this run.
      throw new CancelledFailure(message);
    default:
      return { kind: 'fatal', type, message, failed };
  }
}

/**
 * An activity timeout expired and Temporal does not retry. The worker reported no running time, so the time in the task
 * queue counts too.
 */
function outcomeOfTimeout<Result>(failure: ActivityFailure, ranMs: number, before: AttemptState): Outcome<Result> {
  const { cause } = failure;
  const heartbeat =
    cause instanceof TimeoutFailure ? (cause.lastHeartbeatDetails as FailedAttempt | undefined) : undefined;
  const state = heartbeat?.state ?? before;
  const message = `The attempt was lost: ${failure.cause?.message ?? failure.message}`;
  const type = retryableFailureTypes.connectionError;
  return { kind: 'retryable', type, outcome: { kind: 'connection_error', message }, failed: { ranMs, state } };
}
