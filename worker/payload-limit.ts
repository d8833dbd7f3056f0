import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { payloadProblem } from '../contract/payload-size.ts';
import { serverLimitExceeded } from '../contract/workflow/failure.ts';

/**
 * Fails an activity once if the server would reject its result or failure for its size. Otherwise Temporal would retry
 * it forever.
 */
export function limitPayloads(activityType: string): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      let result: unknown;
      try {
        result = await next(input);
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error;
        throw withoutLargeDetails(error);
      }
      const problem = payloadProblem(`The result of ${activityType}`, result);
      if (problem === undefined) return result;
      throw ApplicationFailure.nonRetryable(problem, serverLimitExceeded);
    },
  };
}

/** Limit for an error message, which may quote a long answer. */
const maxMessageCharacters = 10_000;

function withoutLargeDetails(failure: ApplicationFailure): ApplicationFailure {
  const { message, type, nonRetryable, nextRetryDelay, category } = failure;
  const details = failure.details ?? [];
  if (payloadProblem('', [message, details]) === undefined) return failure;
  return ApplicationFailure.create({
    message: message.slice(0, maxMessageCharacters),
    details: payloadProblem('', details) === undefined ? details : [],
    type: type ?? 'Error',
    nonRetryable: nonRetryable ?? false,
    ...(nextRetryDelay != null && { nextRetryDelay }),
    ...(category != null && { category }),
  });
}
