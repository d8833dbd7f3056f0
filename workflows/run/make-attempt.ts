import { patched } from '@temporalio/workflow';
import type { AcceptedJob, AttemptContext, AttemptState, FailedAttempt, Submission } from '../../contract/activity.ts';
import type { Unchanged } from '../../contract/earlier-chunks.ts';
import type { JobResult } from '../../contract/http/job.ts';
import { followJob } from '../proxies.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';

/**
 * Makes one attempt. If an earlier attempt lost contact with its job, the attempt first follows that job again. If the job
 * cannot be found, the step queues for a container and follows its new job to the end.
 */
export async function makeAttempt<Result>(
  step: Step<Result>,
  attempt: number,
  context: AttemptContext,
  { jobs, priority, used }: Pick<Run, 'jobs' | 'priority' | 'used'>,
): Promise<Outcome<Result>> {
  let { state } = context;
  let lostMs = 0;
  let hasAmended = false;

  const follow = (job: AcceptedJob): Promise<Outcome<JobResult>> => {
    const summary = `Attempt ${attempt}: follow ${step.summary}`;
    const toFollow = { ...job, ...(step.targets !== undefined && { targets: step.targets }) };
    return outcomeOf(followJob(summary, toFollow, { ...context, state }), state);
  };
  /** Prepares another request within this attempt; returns whether there is one. */
  const amend = ({ failed }: { failed: FailedAttempt }): boolean => {
    const amended = failed.resubmit === true ? failed.state : step.amend?.(failed);
    // Once per attempt: a store that rejects a fresh signature as expired rejects the next one too.
    if (amended === undefined || hasAmended) return false;
    state = amended;
    lostMs += failed.ranMs;
    hasAmended = true;
    return true;
  };
  const end = (outcome: Outcome<JobResult | Unchanged>): Outcome<Result> => {
    if (outcome.kind === 'succeeded') return { ...outcome, result: step.resultOf(outcome.result, state) };
    const { failed } = outcome;
    return { ...outcome, failed: { ...failed, ranMs: failed.ranMs + (failed.advanced === true ? 0 : lostMs) } };
  };

  if (state.location !== undefined) {
    const { location, signed } = state;
    const joined = used.addEnd(await follow({ location, ...(signed !== undefined && { signed }) }));
    const isCorrected = joined.kind === 'fatal' && patched('joined-jobs-are-corrected') && amend(joined);
    if (joined.kind !== 'retryable' && !isCorrected) return end(joined);
    if (joined.kind === 'retryable') {
      ({ state } = joined.failed);
      lostMs = joined.failed.ranMs;
    }
  }
  for (;;) {
    const summary = `Attempt ${attempt}: ${step.summary}`;
    const place = priority.enter((current) => step.submit(summary, { ...context, state }, current));
    let submitted: Outcome<Submission>;
    try {
      submitted = used.addEnd(await outcomeOf(place.activity, state));
    } catch (error) {
      if (place.wasGivenUp(error)) continue;
      throw error;
    } finally {
      place.leave();
    }
    if (submitted.kind !== 'succeeded') {
      if (amend(submitted)) continue;
      return end(submitted);
    }
    const submission = submitted.result;
    const lostContact = state.location;
    ({ state } = submission);
    if (submission.kind === 'turned_away') continue;
    if (submission.kind === 'finished') return end({ kind: 'succeeded', result: submission.result });

    state = withFormer(state, lostContact);
    jobs.setJobs(step.id, state);
    lostMs += submission.ranMs;
    const followed = used.addEnd(await follow(submission.job));
    if (followed.kind === 'succeeded' || !amend(followed)) return end(followed);
  }
}

/** Keeps the location of a replaced job, so that it can be cancelled when the run ends. */
function withFormer(state: AttemptState, lostContact: AttemptState['location']): AttemptState {
  if (lostContact === undefined || lostContact.jobId === state.location?.jobId) return state;
  return { ...state, former: [...(state.former ?? []), lostContact] };
}
