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
 * What a run ends with after `error`, under a type and with a sentence of its own. Undefined where it does not end: it goes on
 * as a new one, or its code is not the one that its history was made by, which a worker with that code can mend.
 */
export function ownFailure(error: unknown): Error | undefined {
  if (error instanceof ContinueAsNew || error instanceof DeterminismViolationError) return undefined;
  if (error instanceof ApplicationFailure || (error instanceof Error && isCancellation(error))) return error;
  if (error instanceof ActivityFailure) return activitysFailure(error);
  // Without this Temporal would repeat the workflow task for ever, and the run would hang and keep its jobs.
  const fault = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return ApplicationFailure.create({
    type: failureType('internal'),
    message: `The run met a fault of its own; please report it. ${fault}`,
    nonRetryable: true,
    ...(error instanceof Error && { cause: error }),
  });
}

/** Under the type that the activity failed with: else it would be an `ActivityFailure` around that. */
function activitysFailure(failure: ActivityFailure): ApplicationFailure {
  const cause = failure.cause instanceof ServerFailure ? limitFailure(failure.cause) : failure.cause;
  if (cause instanceof ApplicationFailure) return asOwn(cause, cause.message);
  const last = cause instanceof TimeoutFailure ? cause.cause : undefined;
  if (last instanceof ApplicationFailure) return asOwn(last, `${last.message} (tried until its time was up)`);
  const reason = cause?.message ?? failure.message;
  return ApplicationFailure.nonRetryable(`${failure.activityType}: ${reason}`, 'ActivityFailed');
}

function asOwn({ type, details }: ApplicationFailure, message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type, ...(details ?? []));
}
