import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import {
  obstaclesText,
  type RunFailure,
  retryBudgetExhausted,
  withoutContainerAddress,
} from '../contract/workflow/failure.ts';
import { type ErrorCode, failureType } from '../contract/error-codes.ts';
import { messageOf } from '../contract/unknown-values.ts';
import { describeEncrypted } from './encrypted.ts';
import { formatCount } from './text/format-count.ts';
import { formatDuration } from './text/format-duration.ts';

/**
 * Describes why a run failed: the innermost cause, without a stack. `namesContainer` adds the address of a container
 * that could not be used.
 */
export function describeFailure(error: unknown, namesContainer = true): string {
  const encrypted = describeEncrypted(error);
  if (encrypted !== undefined) return encrypted;
  if (!(error instanceof WorkflowFailedError)) return messageOf(error);
  const cause = innermostCause(error);
  if (cause instanceof CancelledFailure) return 'The run was cancelled.';
  if (cause instanceof TerminatedFailure) return `The run was terminated in Temporal: ${cause.message}`;
  if (cause instanceof TimeoutFailure) return `The run exceeded its Temporal timeout: ${cause.message}`;
  if (cause instanceof ApplicationFailure) return describeApplicationFailure(cause, namesContainer);
  return cause.message;
}

export function isAddressForbidden(error: unknown): boolean {
  return failedBy(error, 'source_forbidden', 'upload_forbidden');
}

export function failedBy(error: unknown, ...codes: ErrorCode[]): boolean {
  return codes.some((code) => failureType(code) === failureTypeOf(error));
}

/** `ApplicationFailure.type` of the innermost cause; `Terminated` or `TimedOut` if Temporal itself ended the run. */
export function failureTypeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? innermostCause(error) : undefined;
  if (cause instanceof TerminatedFailure) return 'Terminated';
  if (cause instanceof TimeoutFailure) return 'TimedOut';
  return cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
}

function describeApplicationFailure(failure: ApplicationFailure, namesContainer: boolean): string {
  const facts = failure.details?.[0] as Partial<RunFailure> | undefined;
  const place = namesContainer && facts?.containerUrl !== undefined ? ` (${facts.containerUrl})` : '';
  const message = withoutContainerAddress(failure.message);
  if (failure.type !== retryBudgetExhausted || facts?.attempts === undefined) return message + place;
  const { attempts, elapsedSeconds = 0, lastError } = facts;
  return [
    `Gave up after ${formatCount(attempts, 'attempt')} in ${formatDuration(elapsedSeconds)}: ${obstaclesText(facts)}.`,
    lastError === undefined ? message : `Last error: ${withoutContainerAddress(lastError.message)}${place}`,
  ].join('\n');
}

function innermostCause(error: Error): Error {
  const { cause } = error;
  return cause instanceof Error && !(error instanceof ApplicationFailure) ? innermostCause(cause) : error;
}
