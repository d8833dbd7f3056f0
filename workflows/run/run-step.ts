import { patched, sleep } from '@temporalio/workflow';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { runMetrics } from '../status/counters.ts';
import { waitSummary } from '../status/wait-text.ts';
import { elapsedSeconds } from './elapsed.ts';
import { historyIsLong } from './long-history.ts';
import { makeAttempt } from './make-attempt.ts';
import { decideRetry } from './retry-decision.ts';
import {
  afterAttempt,
  afterRetryable,
  afterWait,
  attemptCounts,
  type RetryState,
  unreachedBy,
  withHost,
} from './retry-state.ts';
import { type RetryPolicy, unknownHostPolicy } from './retry-policy.ts';
import type { Run } from './run.ts';
import { exhaustedFailure, fatalFailure } from './step-failure.ts';
import { logAttempt, logFailure, logWait } from './step-log.ts';
import type { Step } from './step.ts';

export async function runStep<Result>(
  step: Step<Result>,
  start: RetryState,
  run: Run,
  continueAsNew: (state: RetryState) => Promise<never>,
): Promise<{ result: Result; counts: AttemptCounts }> {
  const { policy, status, jobs, requester } = run;
  const idempotencyKey = `${run.key}:${step.id}`;
  const endStep = (kind: 'done' | 'failed', ended: RetryState): AttemptCounts => {
    const counts = attemptCounts(ended, policy);
    status.endStep(step.id, kind, counts.elapsedSeconds);
    return counts;
  };
  let state = start;
  status.startStep(step.id, step.share);
  // Jobs from before the run continued as new.
  jobs.setJobs(step.id, start.attemptState);
  for (;;) {
    const attempt = state.attempts + 1;
    const elapsedBefore = elapsedSeconds(state.elapsed, policy);
    logAttempt(step, attempt, elapsedBefore);
    status.queueAttempt(step.id, attempt, elapsedBefore);

    const context = {
      step: step.id,
      idempotencyKey,
      state: state.attemptState,
      ...(requester !== undefined && { requester }),
    };
    const outcome = await makeAttempt(step, attempt, context, run);

    switch (outcome.kind) {
      case 'succeeded':
        jobs.setJobs(step.id, {});
        // A successful attempt loses no time.
        return { result: outcome.result, counts: endStep('done', afterAttempt(state, 0)) };
      case 'fatal':
        jobs.setJobs(step.id, outcome.failed.state);
        logFailure(step, attempt, outcome);
        throw fatalFailure(outcome, endStep('failed', afterAttempt(state, outcome.failed.ranMs)));
      case 'retryable': {
        state = withHost(afterRetryable(state, outcome.outcome, outcome.failed), elapsedBefore, outcome.failed);
        // The job may still run although its contact was lost, even if the step now gives up.
        jobs.setJobs(step.id, state.attemptState);
        const elapsed = elapsedSeconds(state.elapsed, policy);
        const budget = budgetOf(state, policy);
        const next = decideRetry(outcome.outcome, state, elapsed, budget);
        switch (next.kind) {
          case 'fail': {
            const { type, outcome: error, failed } = outcome;
            const { unreached } = state;
            const last = { type, message: error.message, failed, ...(unreached !== undefined && { unreached }) };
            throw exhaustedFailure(last, endStep('failed', state), next.delaySeconds, budget);
          }
          case 'wait':
            runMetrics.countWait(next.reason);
            logWait(outcome.outcome, outcome.failed, attempt, next.seconds, elapsed, budget);
            status.startWait(
              step.id,
              {
                reason: next.reason,
                seconds: next.seconds,
                unreached: unreachedBy(outcome.outcome, outcome.failed),
                error: outcome.outcome.message,
                maxRetryTime: budget.maxRetryTime,
              },
              elapsed,
            );
            await sleep(Math.round(next.seconds * 1000), {
              summary: waitSummary(next.reason, next.seconds, Date.now()),
            });
            state = afterWait(state, next.seconds);
        }
      }
    }
    if (historyIsLong()) await continueAsNew(state);
  }
}

/** Runs that older versions started give an unknown host name the whole budget. */
function budgetOf({ unknownHostSince }: RetryState, policy: RetryPolicy): RetryPolicy {
  const isUnknown = unknownHostSince !== undefined && patched('unknown-hosts-have-ten-minutes');
  return isUnknown ? unknownHostPolicy(policy, unknownHostSince) : policy;
}
