import { transcription, type TranscriptionCall, type TranscriptionReply } from '../fixtures/transcription-server.ts';

// A recording that is cut into chunks, and the words that a provider hears in them.

export const seconds = 60;
const chunkDuration = 10;
const overlapDuration = 2;
/** ceil((60 - 2) / 8) */
export const chunkCount = 8;

/** One word per second of the source, as heard in every chunk that covers the second. */
function words({ index }: Pick<TranscriptionCall, 'index'>): { start: number; end: number; text: string }[] {
  const start = index * (chunkDuration - overlapDuration);
  const length = Math.min(chunkDuration, seconds - start);
  return Array.from({ length }, (_, second) => ({ start: second, end: second + 1, text: ` w${start + second}` }));
}

/** `pace`: when the provider answers. */
export function spoken(
  call: TranscriptionCall,
  pace: { delayMs?: number; after?: Promise<unknown> } = {},
): TranscriptionReply {
  return { kind: 'answer', body: transcription(words(call)), delayMs: 150, ...pace };
}

export const wholeText = Array.from({ length: seconds }, (_, second) => `w${second}`).join(' ');

let runs = 0;

/** Input of a run over the recording, with a prefix of its own. */
export function input(provider: string | string[]) {
  runs += 1;
  return {
    sourceUrl: 's3://media/speech.wav',
    uploadUrlPrefix: `s3://media/run-${runs}/`,
    chunkDuration,
    overlapDuration,
    provider,
  };
}
