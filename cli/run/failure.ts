import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { type RunFailure, retryBudgetExhausted } from '../../contract/workflow/failure.ts';
import { failureType } from '../../contract/error-codes.ts';
import { counted } from '../progress/counted.ts';
import { shownDuration } from '../progress/status-line.ts';

/** Why a run has failed, as one who started it reads it: the innermost cause, without a stack. */
export function failureSentence(error: unknown): string {
  if (!(error instanceof WorkflowFailedError)) return error instanceof Error ? error.message : String(error);
  const cause = innermost(error);
  if (cause instanceof CancelledFailure) return 'The run was cancelled.';
  if (cause instanceof TerminatedFailure) return `The run was terminated in Temporal: ${cause.message}`;
  if (cause instanceof TimeoutFailure) return `The run took longer than Temporal allowed it: ${cause.message}`;
  if (cause instanceof ApplicationFailure) return applicationSentence(cause);
  return cause.message;
}

/** Whether the container refused the address of the source or of an output. */
export function isForbidden(error: unknown): boolean {
  const types = [failureType('source_forbidden'), failureType('upload_forbidden')];
  const cause = error instanceof Error ? innermost(error) : undefined;
  return cause instanceof ApplicationFailure && types.includes(cause.type ?? '');
}

function applicationSentence(failure: ApplicationFailure): string {
  const facts = failure.details?.[0] as Partial<RunFailure> | undefined;
  if (failure.type !== retryBudgetExhausted || facts?.attempts === undefined) return failure.message;
  const { attempts, rateLimitHits = 0, connectionErrors = 0, elapsedSeconds = 0, lastError } = facts;
  return [
    `Gave up after ${counted(attempts, 'attempt')} in ${shownDuration(elapsedSeconds)}: the container was busy ${counted(rateLimitHits, 'time')} ` +
      `and could not be reached ${counted(connectionErrors, 'time')}.`,
    lastError === undefined ? failure.message : `Last error: ${lastError.message}`,
  ].join('\n');
}

function innermost(error: Error): Error {
  const { cause } = error;
  return cause instanceof Error && !(error instanceof ApplicationFailure) ? innermost(cause) : error;
}
