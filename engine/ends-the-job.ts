import { MediaError } from './media-error.ts';

/**
 * True for failures that a single run would meet again: it would also be killed, stall, or find the source too long.
 */
export function endsTheJob(error: unknown): boolean {
  if (!(error instanceof MediaError)) return false;
  if (error.code === 'ffmpeg_failed') return error.details?.['signal'] !== undefined;
  return error.code === 'stalled' || error.code === 'source_too_long';
}
