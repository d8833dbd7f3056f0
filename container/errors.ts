import { errnoOf } from '../contract/unknown-values.ts';
import type { ErrorBody } from '../contract/http/error.ts';
import { statusByErrorCode, type ErrorCode } from '../contract/error-codes.ts';

/**
 * Everything that can go wrong with a request or its job, as a sentence for a person and a code for a program.
 * `details` goes out to the caller as it is: no paths of this disk, no query strings of URLs.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }

  get status(): number {
    return statusByErrorCode[this.code];
  }

  toBody(jobId?: string): ErrorBody {
    return {
      success: false,
      error: this.message,
      code: this.code,
      ...(jobId === undefined ? {} : { jobId }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** What a system call answers when the disk, the quota or the scratch tmpfs is full. */
const diskFullErrnos = new Set(['ENOSPC', 'EDQUOT']);

export function diskFull(cause?: unknown): ServiceError {
  return new ServiceError('disk_full', 'The scratch disk of the encoding service is full. Please retry later.', {
    cause,
  });
}

/** An error that may be shown. What is not foreseen becomes `internal`, without its message. */
export function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (diskFullErrnos.has(errnoOf(thrown) ?? '')) return diskFull(thrown);
  return new ServiceError('internal', 'The encoding service hit an internal error. It was logged; please report it.', {
    cause: thrown,
  });
}
