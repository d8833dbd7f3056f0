import { ApplicationFailure } from '@temporalio/common';
import type { StorageError } from '../stores/store-error.ts';

/** A non-retryable failure about which the workflow decides: `BENIGN` keeps it out of the worker's warnings. */
export function finalFailure(type: string, message: string, ...details: unknown[]): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, category: 'BENIGN', details });
}

/** The failure of an activity whose files could not be read or stored. Its retry policy retries passing errors. */
export function storageFailure(type: string, { message, passing }: StorageError): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: !passing, category: 'BENIGN' });
}
