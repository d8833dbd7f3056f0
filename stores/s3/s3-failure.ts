import { isCredentialRefusal, isTransientStoreAnswer } from '../../contract/store-answer.ts';
import { untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { StorageError } from '../store-error.ts';

/** Wraps errors of the AWS SDK. Aborts and timeouts pass unchanged. */
export function asStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return error;
  const untrusted = untrustedReason(errnoOf(error));
  if (untrusted !== undefined) {
    return new StorageError(`The store cannot be trusted: ${untrusted}`, false, { cause: error });
  }
  return regionFailure(error) ?? new StorageError(messageOf(error), isPassing(error), { cause: error });
}

/** The SDK's message for an answer without a page says nothing. */
function messageOf(error: Error): string {
  const status = statusOf(error);
  return error.message === 'UnknownError' && status !== undefined ? `The store answered ${status}` : error.message;
}

/** The SDK sets `$metadata` on every error of a request; only answered ones have a status. */
function statusOf(error: Error): number | undefined {
  return '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }).httpStatusCode : undefined;
}

/** The AWS SDK's own message names no variable. Undefined for any other error. */
export function regionFailure(error: unknown): StorageError | undefined {
  if (!(error instanceof Error) || error.message !== 'Region is missing') return undefined;
  return new StorageError('the region is not known; set AWS_REGION, such as to eu-central-1', false, { cause: error });
}

function isPassing(error: Error): boolean {
  if (isCredentialRefusal(error.name)) return true;
  if (!('$metadata' in error)) return false;
  const status = statusOf(error);
  return status === undefined || isTransientStoreAnswer(status, error.name);
}
