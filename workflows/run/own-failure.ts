import {
  ActivityFailure,
  ApplicationFailure,
  ContinueAsNew,
  DeterminismViolationError,
  isCancellation,
  ServerFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { failureType } from '../../contract/error-codes.ts';
import { limitFailure } from './server-limit.ts';

/**
 * The failure with which a run ends after `error`. Undefined if the run does not end: it continues as new, or its code
 * does not match its history, which a worker with the matching code can repair.
 */
export function ownFailure(error: unknown): Error | undefined {
  if (error instanceof ContinueAsNew || error instanceof DeterminismViolationError) return undefined;
  if (error instanceof ApplicationFailure || (error instanceof Error && isCancellation(error))) return error;
  if (error instanceof ActivityFailure) return failureOfActivity(error);
  // Temporal would retry the workflow task forever: the run would hang and keep its jobs.
  const fault = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return ApplicationFailure.create({
    type: failureType('internal'),
    message: `Internal error in the workflow; please report it. ${fault}`,
    nonRetryable: true,
    ...(error instanceof Error && { cause: error }),
  });
}

/** Unwraps the `ActivityFailure`, so that the run fails with the type of the activity's own failure. */
function failureOfActivity(failure: ActivityFailure): ApplicationFailure {
  const cause = failure.cause instanceof ServerFailure ? limitFailure(failure.cause) : failure.cause;
  if (cause instanceof ApplicationFailure) return asOwn(cause, cause.message);
  const last = cause instanceof TimeoutFailure ? cause.cause : undefined;
  if (last instanceof ApplicationFailure) return asOwn(last, `${last.message} (retried until the timeout)`);
  const reason = cause?.message ?? failure.message;
  return ApplicationFailure.nonRetryable(`${failure.activityType}: ${reason}`, 'ActivityFailed');
}

function asOwn({ type, details }: ApplicationFailure, message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type, ...(details ?? []));
}
