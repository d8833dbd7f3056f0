import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { AnswerSegment } from './answer.ts';

export interface TranscribedChunk {
  index: number;
  /** seconds from the start of the source */
  start: number;
  /** seconds */
  duration: number;
  /** Undefined if the chunk failed. */
  segments: readonly AnswerSegment[] | undefined;
  error?: string;
}

export interface TranscriptSegment {
  id: number;
  /** seconds from the start of the source */
  start: number;
  end: number;
  text: string;
  chunk: number;
}

export interface Transcript {
  text: string;
  segments: TranscriptSegment[];
  /** seconds of the source */
  duration: number;
  complete: boolean;
  missing: { index: number; start: number; end: number; error: string }[];
}

/**
 * Builds one transcript on the source's clock from overlapping chunks. A segment in an overlap comes from the chunk in whose
 * half its middle lies. For a failed chunk, only the overlaps of its neighbours remain.
 */
export function buildTranscript(chunks: readonly TranscribedChunk[]): Transcript {
  const withSegments = chunks.filter((chunk): chunk is ChunkWithSegments => chunk.segments !== undefined);
  const segments = withSegments.flatMap((chunk, position) => {
    const from = borderBetween(withSegments[position - 1], chunk) ?? -Infinity;
    const to = borderBetween(chunk, withSegments[position + 1]) ?? Infinity;
    return chunk.segments
      .map((segment) => ({
        start: roundToMilliseconds(chunk.start + segment.start),
        end: roundToMilliseconds(chunk.start + segment.end),
        text: segment.text.trim(),
        chunk: chunk.index,
      }))
      .filter(({ start, end, text }) => text !== '' && from <= (start + end) / 2 && (start + end) / 2 < to);
  });
  segments.sort((a, b) => a.start - b.start || a.end - b.end);
  const last = chunks.at(-1);
  const missing = chunks.flatMap(({ index, start, duration, segments, error }) =>
    segments === undefined
      ? [
          {
            index,
            start: roundToMilliseconds(start),
            end: roundToMilliseconds(start + duration),
            error: error ?? 'failed',
          },
        ]
      : [],
  );
  return {
    text: segments.map(({ text }) => text).join(' '),
    segments: segments.map((segment, id) => ({ id, ...segment })),
    duration: last === undefined ? 0 : roundToMilliseconds(last.start + last.duration),
    complete: missing.length === 0,
    missing,
  };
}

type ChunkWithSegments = TranscribedChunk & { segments: readonly AnswerSegment[] };

/** Middle of the overlap of two chunks; undefined without overlap. */
function borderBetween(left: ChunkWithSegments | undefined, right: ChunkWithSegments | undefined): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  const leftEnd = left.start + left.duration;
  return right.start <= leftEnd ? (right.start + leftEnd) / 2 : undefined;
}
