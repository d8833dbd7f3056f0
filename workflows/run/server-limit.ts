import { ApplicationFailure, type ServerFailure } from '@temporalio/workflow';
import { payloadProblem } from '../../contract/payload-size.ts';
import { serverLimitExceeded } from '../../contract/workflow/failure.ts';

/**
 * Failure for a payload that the server rejected as too large. If an activity's failure was too large, that failure is
 * kept.
 */
export function limitFailure({ message, cause }: ServerFailure): ApplicationFailure {
  if (cause instanceof ApplicationFailure) return cause;
  return ApplicationFailure.nonRetryable(`The Temporal server rejected a result: ${message}`, serverLimitExceeded);
}

/** Throws if the server would reject the payload; otherwise it would terminate the run and leave its jobs running. */
export function assertPayloadFits(what: string, value: unknown): void {
  const problem = payloadProblem(what, value);
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, serverLimitExceeded);
}
