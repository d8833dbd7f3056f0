import { log } from '@temporalio/workflow';
import type { FailedAttempt } from '../../contract/activity.ts';
import type { RetryableOutcome } from './retry-decision.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { Step } from './step.ts';

export function logAttempt(step: Step, attempt: number, elapsedSeconds: number): void {
  log.info(`${step.verb} attempt ${attempt} for ${step.subject} (${Math.floor(elapsedSeconds)}s elapsed)`, {
    step: step.id,
    runAttempt: attempt,
    elapsedSeconds,
  });
}

export function logFailure(
  step: Step,
  attempt: number,
  { type, message, failed }: { type: string; message: string; failed: FailedAttempt },
): void {
  const facts = { failureType: type, containerUrl: failed.containerUrl };
  log.warn(`${step.verb} failed on attempt ${attempt}: ${message}`, facts);
}

export function logWait(
  outcome: RetryableOutcome,
  failed: FailedAttempt,
  attempt: number,
  seconds: number,
  elapsedSeconds: number,
  policy: RetryPolicy,
): void {
  const facts = { runAttempt: attempt, waitSeconds: seconds, elapsedSeconds, errno: failed.errno };
  switch (outcome.kind) {
    case 'rate_limited':
      log.info(`Rate limited on attempt ${attempt}. Retrying after ${seconds}s...`, facts);
      return;
    case 'connection_error': {
      const leftSeconds = Math.floor(policy.maxRetryTime - elapsedSeconds);
      // Error sentences of the container end with a full stop.
      const message = outcome.message.replace(/\.$/, '');
      log.warn(`Retryable error on attempt ${attempt}: ${message}. Retrying in ${seconds}s... (${leftSeconds}s left)`, {
        ...facts,
        leftSeconds,
      });
    }
  }
}
