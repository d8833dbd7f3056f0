import { ApplicationFailure, log, sleep, workflowInfo } from '@temporalio/workflow';
import type { AttemptContext, AttemptState, FailedAttempt, TimedResult } from '../../contract/activity.ts';
import { type RunFailure, retryBudgetExhausted } from '../../contract/workflow/failure.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { historyIsLong } from './long-history.ts';
import { outcomeOf } from './outcome.ts';
import { type Elapsed, elapsedSeconds, noTime, withAttempt, withWait } from './elapsed.ts';
import { type Counts, nextStep, type RetryableOutcome } from './next-step.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { waitSummary } from '../status/run-status.ts';
import type { Run } from './run.ts';

/** What all attempts of a step so far have left behind; the whole of it goes along when the run continues as new. */
export interface StepState extends Counts {
  elapsed: Elapsed;
  carry: AttemptState;
}

export function newStep(carry: AttemptState = {}): StepState {
  return { attempts: 0, rateLimitHits: 0, connectionErrors: 0, elapsed: noTime, carry };
}

export interface Step<Result> {
  /** Part of the idempotency key. */
  name: 'encode' | 'chunk';
  /** As the log says it: `Encoding` */
  verb: 'Encoding' | 'Chunking' | 'Processing';
  /** As the log says it: `format mp3_128` */
  subject: string;
  /** Of the activity, after its attempt's number. */
  summary: string;
  execute(summary: string, context: AttemptContext): Promise<TimedResult<Result>>;
}

/** The one retry loop: attempts and waits until the step has a result, or throws. */
export async function attempts<Result>(
  step: Step<Result>,
  start: StepState,
  run: Run,
  continueAsNew: (state: StepState) => Promise<never>,
): Promise<{ result: Result; counts: AttemptCounts }> {
  const { policy, board, job } = run;
  let state = start;
  for (;;) {
    const attempt = state.attempts + 1;
    const elapsedBefore = elapsedSeconds(state.elapsed, policy);
    log.info(`${step.verb} attempt ${attempt} for ${step.subject} (${Math.floor(elapsedBefore)}s elapsed)`, {
      step: step.name,
      runAttempt: attempt,
      elapsedSeconds: elapsedBefore,
    });
    board.queued(attempt, elapsedBefore);

    const context = { idempotencyKey: `${workflowInfo().firstExecutionRunId}:${step.name}`, carry: state.carry };
    const outcome = await outcomeOf(step.execute(`Attempt ${attempt}: ${step.summary}`, context));

    switch (outcome.kind) {
      case 'succeeded': {
        job.moved(undefined);
        const elapsed = withAttempt(state.elapsed, outcome.ranMs);
        return { result: outcome.result, counts: countsOf({ ...state, attempts: attempt, elapsed }, policy) };
      }
      case 'fatal': {
        state = { ...state, attempts: attempt, elapsed: withAttempt(state.elapsed, outcome.failed.ranMs) };
        const counts = countsOf(state, policy);
        log.warn(`${step.verb} failed on attempt ${attempt}: ${outcome.message}`, { failureType: outcome.type });
        throw runFailure(outcome.type, outcome.message, outcome, counts);
      }
      case 'retryable': {
        state = afterRetryable(state, outcome.outcome, outcome.failed);
        job.moved(state.carry.location);
        const elapsed = elapsedSeconds(state.elapsed, policy);
        const next = nextStep(outcome.outcome, state, elapsed, policy);
        switch (next.kind) {
          case 'fail': {
            const counts = countsOf(state, policy);
            const message = exhaustedMessage(counts, outcome.outcome.message, next.delaySeconds, policy);
            throw runFailure(retryBudgetExhausted, message, { ...outcome, message: outcome.outcome.message }, counts);
          }
          case 'wait':
            logWait(outcome.outcome, outcome.failed, attempt, next.seconds, elapsed, policy);
            board.waiting(attempt, next.reason, next.seconds, elapsed);
            await sleep(Math.round(next.seconds * 1000), {
              summary: waitSummary(next.reason, next.seconds, Date.now()),
            });
            state = { ...state, elapsed: withWait(state.elapsed, next.seconds) };
        }
      }
    }
    if (historyIsLong()) await continueAsNew(state);
  }
}

function afterRetryable(state: StepState, outcome: RetryableOutcome, failed: FailedAttempt): StepState {
  return {
    attempts: state.attempts + 1,
    rateLimitHits: state.rateLimitHits + (outcome.kind === 'rate_limited' ? 1 : 0),
    connectionErrors: state.connectionErrors + (outcome.kind === 'connection_error' ? 1 : 0),
    elapsed: withAttempt(state.elapsed, failed.ranMs),
    carry: failed.carry,
  };
}

function logWait(
  outcome: RetryableOutcome,
  failed: FailedAttempt,
  attempt: number,
  seconds: number,
  elapsed: number,
  policy: RetryPolicy,
): void {
  const facts = { runAttempt: attempt, waitSeconds: seconds, elapsedSeconds: elapsed, errno: failed.errno };
  switch (outcome.kind) {
    case 'rate_limited':
      log.info(`Rate limited on attempt ${attempt}. Retrying after ${seconds}s...`, facts);
      return;
    case 'connection_error': {
      const leftSeconds = Math.floor(policy.maxRetryTime - elapsed);
      // The container's errors are sentences already.
      const message = outcome.message.replace(/\.$/, '');
      log.warn(`Retryable error on attempt ${attempt}: ${message}. Retrying in ${seconds}s... (${leftSeconds}s left)`, {
        ...facts,
        leftSeconds,
      });
    }
  }
}

function countsOf(state: StepState, policy: RetryPolicy): AttemptCounts {
  return {
    attempts: state.attempts,
    rateLimitHits: state.rateLimitHits,
    connectionErrors: state.connectionErrors,
    elapsedSeconds: Math.round(elapsedSeconds(state.elapsed, policy) * 1000) / 1000,
  };
}

function exhaustedMessage(
  counts: AttemptCounts,
  lastMessage: string,
  delaySeconds: number,
  policy: RetryPolicy,
): string {
  const tries = `${counts.attempts} ${counts.attempts === 1 ? 'attempt' : 'attempts'}`;
  return (
    `Gave up after ${tries} in ${Math.floor(counts.elapsedSeconds)} s: the container was busy ${counts.rateLimitHits} times ` +
    `and not reached ${counts.connectionErrors} times. Another wait of ${delaySeconds} s would pass the limit of ` +
    `${policy.maxRetryTime} s, ${policy.retryBuffer} s of which are kept free. The last error: ${lastMessage}`
  );
}

function runFailure(
  type: string,
  message: string,
  last: { type: string; message: string; failed: FailedAttempt },
  counts: AttemptCounts,
): ApplicationFailure {
  const details: RunFailure = {
    lastError: { type: last.type, message: last.message },
    ...counts,
    ...(last.failed.code !== undefined && { code: last.failed.code }),
    ...(last.failed.details !== undefined && { details: last.failed.details }),
  };
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] });
}
