import { errnoOf } from '../contract/unknown-values.ts';
import type { ErrorBody } from '../contract/http/error.ts';
import { statusByErrorCode } from '../contract/error-codes.ts';
import { diskFull, MediaError } from '../engine/media-error.ts';

/** A failure of the service itself: of a request, a transfer or the life of a job. Answers treat it as a `MediaError`. */
export class ServiceError extends MediaError {
  override readonly name = 'ServiceError';
}

/** The HTTP status that answers this failure. */
export function statusOf({ code }: MediaError): number {
  return statusByErrorCode[code];
}

/** The body of the answer that reports this failure. */
export function errorBody({ message, code, details }: MediaError, jobId?: string): ErrorBody {
  return {
    success: false,
    error: message,
    code,
    ...(jobId === undefined ? {} : { jobId }),
    ...(details === undefined ? {} : { details }),
  };
}

/** System errors of a full disk, quota or scratch tmpfs. */
const diskFullErrnos = new Set(['ENOSPC', 'EDQUOT']);

/** An error that may be shown. Any unforeseen error becomes `internal`, without its message. */
export function asMediaError(thrown: unknown): MediaError {
  if (thrown instanceof MediaError) return thrown;
  if (diskFullErrnos.has(errnoOf(thrown) ?? '')) return diskFull(thrown);
  return new ServiceError('internal', 'The encoding service hit an internal error. It was logged; please report it.', {
    cause: thrown,
  });
}
