import type { ErrorCode } from '../contract/error-codes.ts';
import { MediaError } from './media-error.ts';

/** Reasons in the source for which an output cannot be made. */
const ofTheSource: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['no_audio', 'no_video', 'unsupported_format'] as const),
  ...(['undecodable_source', 'needs_more_memory'] as const),
]);

/** True if an optional output is left out for this error. Any other output fails with it. */
export function saysOfSource(error: unknown, signal: AbortSignal): error is MediaError {
  return error instanceof MediaError && ofTheSource.has(error.code) && !signal.aborted;
}
