import { chunkContainer, containers } from './formats.ts';

/** Enough for a day of source in chunks of 10 s. */
export const maxChunks = 10_000;

/** Largest distance of a cut from its ideal position, at both ends of a chunk (docs/reference/chunks.md). */
export const cutToleranceSeconds = 0.05;

/** One chunk's range of the source, in seconds. */
export interface PlannedChunk {
  index: number;
  start: number;
  duration: number;
}

/**
 * Chunk i covers [i * (chunkDuration - overlapDuration), + chunkDuration) of the source; the last one covers the rest.
 * All in seconds. A plan with an overlap close to `chunkDuration` can exceed the memory: compare `countChunks` first.
 */
export function planChunks(sourceDuration: number, chunkDuration: number, overlapDuration: number): PlannedChunk[] {
  const count = countChunks(sourceDuration, chunkDuration, overlapDuration);
  return placeChunks(count, sourceDuration, chunkDuration, overlapDuration);
}

/**
 * N = max(1, ceil((duration - overlapDuration) / (chunkDuration - overlapDuration))) (docs/reference/chunks.md). All in
 * seconds.
 */
export function countChunks(sourceDuration: number, chunkDuration: number, overlapDuration: number): number {
  const step = chunkDuration - overlapDuration;
  // Tolerates a microsecond: 60.000000001 s of source at 60 s per chunk is one chunk.
  return Math.max(1, Math.ceil((sourceDuration - overlapDuration) / step - 1e-6 / step));
}

/** Ranges of chunks whose number is known. */
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

/** Default URL of a chunk under a prefix. */
export function chunkUrl(prefix: string, index: number, probedCodec: string): string {
  const { extension } = containers[chunkContainer(probedCodec)];
  return `${prefix}chunk-${String(index).padStart(5, '0')}.${extension}`;
}

/** URL under which a provider's answer is stored. */
export function chunkAnswerUrl(prefix: string, index: number): string {
  return `${prefix}chunk-${String(index).padStart(5, '0')}.json`;
}

/** Name of the list of all chunks, under the prefix of a run. */
export const chunkListName = 'chunks.json';

/**
 * Bytes of JSON, about 1,000 chunks. A longer list exists only as a file, not in answers, histories or results. The
 * limit is well below Temporal's because a history may hold the list several times.
 */
export const maxInlineListBytes = 256 * 1024;
