import { ApplicationFailure, type ServerFailure } from '@temporalio/workflow';
import { payloadProblem } from '../../contract/payload-size.ts';
import { serverLimitExceeded } from '../../contract/workflow/failure.ts';

/** An activity that the server ended by itself, because what it sent was too large. Of a failure too large, the failure is kept. */
export function limitFailure({ message, cause }: ServerFailure): ApplicationFailure {
  if (cause instanceof ApplicationFailure) return cause;
  return ApplicationFailure.nonRetryable(`Temporal's server refused a result: ${message}`, serverLimitExceeded);
}

/** Throws where the server would not take a value from a workflow: it would terminate the run, with its jobs left running. */
export function assertPayloadFits(what: string, value: unknown): void {
  const problem = payloadProblem(what, value);
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, serverLimitExceeded);
}
