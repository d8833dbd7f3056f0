import { ApplicationFailure } from '@temporalio/common';

/** A non-retryable failure about which the workflow decides: `BENIGN` keeps it out of the worker's warnings. */
export function finalFailure(type: string, message: string, ...details: unknown[]): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, category: 'BENIGN', details });
}
