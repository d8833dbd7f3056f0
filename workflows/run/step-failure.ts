import { ApplicationFailure } from '@temporalio/workflow';
import type { FailedAttempt } from '../../contract/activity.ts';
import { type RunFailure, retryBudgetExhausted } from '../../contract/workflow/failure.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** The last attempt's. */
interface LastError {
  type: string;
  message: string;
  failed: FailedAttempt;
}

/** Of a step whose error no other attempt would help. */
export function fatalFailure(last: LastError, counts: AttemptCounts): ApplicationFailure {
  return stepFailure(last.type, last.message, last, counts);
}

/** Of a step whose next wait would exceed its budget. */
export function exhaustedFailure(
  last: LastError,
  counts: AttemptCounts,
  delaySeconds: number,
  policy: RetryPolicy,
): ApplicationFailure {
  const tries = `${counts.attempts} ${counts.attempts === 1 ? 'attempt' : 'attempts'}`;
  const message =
    `Gave up after ${tries} in ${Math.floor(counts.elapsedSeconds)} s: the container was busy ${counts.rateLimitHits} times ` +
    `and not reached ${counts.connectionErrors} times. Another wait of ${delaySeconds} s would pass the limit of ` +
    `${policy.maxRetryTime} s, ${policy.retryBuffer} s of which are kept free. The last error: ${last.message}`;
  return stepFailure(retryBudgetExhausted, message, last, counts);
}

function stepFailure(type: string, message: string, last: LastError, counts: AttemptCounts): ApplicationFailure {
  const { code, details } = last.failed;
  const facts: RunFailure = {
    lastError: { type: last.type, message: last.message },
    ...counts,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
  };
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [facts] });
}
