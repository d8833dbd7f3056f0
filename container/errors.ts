import { errnoOf } from '../contract/unknown-values.ts';
import type { ErrorBody } from '../contract/http/error.ts';
import { diskFull, MediaError } from '../engine/media-error.ts';

/** A failure of the service itself: of a request, a transfer or a job's life. Answers treat it as a `MediaError`. */
export class ServiceError extends MediaError {
  override readonly name = 'ServiceError';
}

export function errorBody({ message, code, details }: MediaError, jobId?: string): ErrorBody {
  return {
    success: false,
    error: message,
    code,
    ...(jobId === undefined ? {} : { jobId }),
    ...(details === undefined ? {} : { details }),
  };
}

/** System errors of a full disk, an exceeded quota or a full tmpfs. */
const diskFullErrnos = new Set(['ENOSPC', 'EDQUOT']);

export function isDiskFull(error: unknown): boolean {
  return diskFullErrnos.has(errnoOf(error) ?? '');
}

/** Turns any error into one that may be shown. An unforeseen error becomes `internal` without its message. */
export function asMediaError(thrown: unknown): MediaError {
  if (thrown instanceof MediaError) return thrown;
  if (isDiskFull(thrown)) return diskFull(thrown);
  return new ServiceError('internal', 'The encoding service hit an internal error. It was logged; please report it.', {
    cause: thrown,
  });
}
