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
  return regionFailure(error) ?? new StorageError(error.message, isPassing(error), { cause: error });
}

/** The AWS SDK's own message names no variable. Undefined for any other error. */
export function regionFailure(error: unknown): StorageError | undefined {
  if (!(error instanceof Error) || error.message !== 'Region is missing') return undefined;
  return new StorageError('the region is not known; set AWS_REGION, such as to eu-central-1', false, { cause: error });
}

function isPassing(error: Error): boolean {
  if (isCredentialRefusal(error.name)) return true;
  // The SDK sets this on every error of a request; only answered ones have a status.
  if (!('$metadata' in error)) return false;
  const { httpStatusCode: status } = error.$metadata as { httpStatusCode?: number };
  return status === undefined || isTransientStoreAnswer(status, error.name);
}
