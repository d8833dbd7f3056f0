import { chunkContainer, containers } from './formats.ts';

/** Enough for a day of source in chunks of 10 s. */
export const maxChunks = 10_000;

/** One chunk's place in the source, in seconds. */
export interface PlannedChunk {
  index: number;
  start: number;
  duration: number;
}

/**
 * Chunk i covers [i * (chunkDuration - overlapDuration), + chunkDuration) of the source, the last one to its end:
 * N = max(1, ceil((duration - overlapDuration) / (chunkDuration - overlapDuration))) (docs/reference/chunks.md). All in seconds.
 */
export function planChunks(sourceDuration: number, chunkDuration: number, overlapDuration: number): PlannedChunk[] {
  const step = chunkDuration - overlapDuration;
  // A microsecond of slack: 60.000000001 s of source at 60 s a chunk is one chunk, not two.
  const count = Math.max(1, Math.ceil((sourceDuration - overlapDuration) / step - 1e-6 / step));
  return placeChunks(count, sourceDuration, chunkDuration, overlapDuration);
}

/** Places of chunks whose number is known. */
export function placeChunks(
  count: number,
  sourceDuration: number,
  chunkDuration: number,
  overlapDuration: number,
): PlannedChunk[] {
  return Array.from({ length: count }, (_, index) => {
    const start = index * (chunkDuration - overlapDuration);
    return { index, start, duration: Math.min(chunkDuration, sourceDuration - start) };
  });
}

/** Where a chunk goes that the caller has named no place for. */
export function chunkUrl(prefix: string, index: number, probedCodec: string): string {
  const { extension } = containers[chunkContainer(probedCodec)];
  return `${prefix}chunk-${String(index).padStart(5, '0')}.${extension}`;
}

/** URL of a provider's answer. */
export function chunkAnswerUrl(prefix: string, index: number): string {
  return `${prefix}chunk-${String(index).padStart(5, '0')}.json`;
}

/** The list of all chunks beside them, under the prefix of a run. */
export const chunkListName = 'chunks.json';

/**
 * Bytes of JSON. A longer list of chunks stands in its file alone, and in no answer, history or result; some 1,000 chunks. Well
 * below what Temporal takes, since a history may hold it several times.
 */
export const maxInlineListBytes = 256 * 1024;
