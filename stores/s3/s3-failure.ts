import { isCredentialRefusal, isTransientStoreAnswer } from '../../contract/store-answer.ts';
import { untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { StorageError } from '../store-error.ts';

/** Wraps errors of the AWS SDK. Aborts and timeouts pass unchanged. */
export function asStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return error;
  return new StorageError(error.message, isPassing(error), { cause: error });
}

function isPassing(error: Error): boolean {
  if (isCredentialRefusal(error.name)) return true;
  if (untrustedReason(errnoOf(error)) !== undefined) return false;
  // The SDK sets this on every error of a request; only answered ones have a status.
  if (!('$metadata' in error)) return false;
  const { httpStatusCode: status } = error.$metadata as { httpStatusCode?: number };
  return status === undefined || isTransientStoreAnswer(status, error.name);
}
