import { ApplicationFailure } from '@temporalio/workflow';
import type { FailedAttempt } from '../../contract/activity.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { obstaclesText, type RunFailure, retryBudgetExhausted } from '../../contract/workflow/failure.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import type { RetryPolicy } from './retry-policy.ts';

interface LastError {
  type: string;
  message: string;
  failed: FailedAttempt;
  unreached?: RunFailure['unreached'];
}

export function fatalFailure(last: LastError, counts: AttemptCounts): ApplicationFailure {
  return stepFailure(last.type, last.message, factsOf(last, counts));
}

export function exhaustedFailure(
  last: LastError,
  counts: AttemptCounts,
  delaySeconds: number,
  policy: RetryPolicy,
): ApplicationFailure {
  const facts = factsOf(last, counts);
  const tries = `${counts.attempts} ${counts.attempts === 1 ? 'attempt' : 'attempts'}`;
  const message =
    `Gave up after ${tries} in ${Math.floor(counts.elapsedSeconds)} s: ${obstaclesText(facts)}. ` +
    `Waiting ${delaySeconds} s more would exceed the limit of ${policy.maxRetryTime} s, of which ${policy.retryBuffer} s are reserved. Last error: ` +
    last.message;
  return stepFailure(retryBudgetExhausted, message, facts);
}

function factsOf({ type, message, failed, unreached }: LastError, counts: AttemptCounts): RunFailure {
  const { code, details, containerUrl } = failed;
  return { lastError: { type, message }, ...counts, ...definedFields({ unreached, containerUrl, code, details }) };
}

function stepFailure(type: string, message: string, facts: RunFailure): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [facts] });
}
