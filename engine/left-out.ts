import type { ErrorCode } from '../contract/error-codes.ts';
import { MediaError } from './media-error.ts';

/** What a source may lack that an output is made of, or be that no output of the kind is made of. */
const ofTheSource: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['no_audio', 'no_video', 'unsupported_format'] as const),
  ...(['undecodable_source', 'needs_more_memory'] as const),
]);

/** Whether an optional output is left out for it, where any other fails with it. */
export function saysOfSource(error: unknown, signal: AbortSignal): error is MediaError {
  return error instanceof MediaError && ofTheSource.has(error.code) && !signal.aborted;
}
