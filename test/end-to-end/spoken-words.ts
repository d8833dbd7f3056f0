import { transcription, type TranscriptionCall, type TranscriptionReply } from '../fixtures/transcription-server.ts';

// A recording that is cut into chunks, and what a provider hears in them.

export const seconds = 90;
export const chunkDuration = 10;
export const overlapDuration = 2;
/** ceil((90 - 2) / 8) */
export const chunkCount = 11;

/** A word each second, on the source's clock, as every chunk that covers the second hears it. */
function words({ index }: Pick<TranscriptionCall, 'index'>): { start: number; end: number; text: string }[] {
  const start = index * (chunkDuration - overlapDuration);
  const length = Math.min(chunkDuration, seconds - start);
  return Array.from({ length }, (_, second) => ({ start: second, end: second + 1, text: ` w${start + second}` }));
}

/** `pace`: when it is said. */
export function spoken(
  call: TranscriptionCall,
  pace: { delayMs?: number; after?: Promise<unknown> } = {},
): TranscriptionReply {
  return { kind: 'answer', body: transcription(words(call)), delayMs: 150, ...pace };
}

/** What all chunks together say. */
export const wholeText = Array.from({ length: seconds }, (_, second) => `w${second}`).join(' ');
