import { ApplicationFailure, type ServerFailure } from '@temporalio/workflow';
import { payloadProblem } from '../../contract/payload-size.ts';
import { serverLimitExceeded } from '../../contract/workflow/failure.ts';

/** The server ended an activity because its payload was too large. A failure that was too large is kept as it is. */
export function limitFailure({ message, cause }: ServerFailure): ApplicationFailure {
  if (cause instanceof ApplicationFailure) return cause;
  return ApplicationFailure.nonRetryable(`The Temporal server rejected a result: ${message}`, serverLimitExceeded);
}

/** Throws if the server would reject the payload: it would terminate the run and leave its jobs running. */
export function assertPayloadFits(what: string, value: unknown): void {
  const problem = payloadProblem(what, value);
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, serverLimitExceeded);
}
