import type { ErrorCode } from '../contract/error-codes.ts';

/**
 * A failure of media work, as a sentence for a person and a code for a program. `details` is sent to the caller
 * unchanged: it must not contain paths of this disk or query strings of URLs.
 */
export class MediaError extends Error {
  override readonly name: string = 'MediaError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }
}

export function diskFull(cause?: unknown): MediaError {
  return new MediaError('disk_full', 'The scratch disk of the encoding service is full. Please retry later.', {
    cause,
  });
}
