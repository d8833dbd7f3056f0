import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** What the activity fails with becomes the run's own failure, under its own type: without this it would be an `ActivityFailure` around it. */
export async function failAsOwn<Result>(activity: Promise<Result>): Promise<Result> {
  try {
    return await activity;
  } catch (error) {
    if (!(error instanceof ActivityFailure && error.cause instanceof ApplicationFailure)) throw error;
    const { message, type, details } = error.cause;
    throw ApplicationFailure.nonRetryable(message, type, ...(details ?? []));
  }
}
