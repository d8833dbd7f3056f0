import { ActivityFailure, ApplicationFailure, ServerFailure } from '@temporalio/workflow';
import { limitFailure } from './server-limit.ts';

/** What the activity fails with becomes the run's own failure, under its own type: without this it would be an `ActivityFailure` around it. */
export async function failAsOwn<Result>(activity: Promise<Result>): Promise<Result> {
  try {
    return await activity;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const cause = error.cause instanceof ServerFailure ? limitFailure(error.cause) : error.cause;
    if (!(cause instanceof ApplicationFailure)) throw error;
    const { message, type, details } = cause;
    throw ApplicationFailure.nonRetryable(message, type, ...(details ?? []));
  }
}
