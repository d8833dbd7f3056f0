import type { AnswerSegment } from './answer.ts';

export interface TranscribedChunk {
  index: number;
  /** seconds from the start of the source */
  start: number;
  /** seconds */
  duration: number;
  /** Undefined where the chunk failed. */
  segments: readonly AnswerSegment[] | undefined;
  error?: string;
}

export interface TranscriptSegment {
  id: number;
  /** seconds from the start of the source */
  start: number;
  end: number;
  text: string;
  /** The chunk that it was heard in. */
  chunk: number;
}

export interface Transcript {
  text: string;
  segments: TranscriptSegment[];
  /** seconds of the source */
  duration: number;
  /** False where chunks are missing. */
  complete: boolean;
  missing: { index: number; start: number; end: number; error: string }[];
}

/**
 * One transcript on the source's clock out of chunks that overlap: a segment belongs to the chunk in whose half of the overlap its middle
 * falls. Where a chunk failed, what its neighbours have heard of it is all that there is.
 */
export function assembled(chunks: readonly TranscribedChunk[]): Transcript {
  const heard = chunks.filter((chunk): chunk is HeardChunk => chunk.segments !== undefined);
  const segments = heard.flatMap((chunk, position) => {
    const from = borderBetween(heard[position - 1], chunk) ?? -Infinity;
    const to = borderBetween(chunk, heard[position + 1]) ?? Infinity;
    return chunk.segments
      .map((segment) => ({
        start: rounded(chunk.start + segment.start),
        end: rounded(chunk.start + segment.end),
        text: segment.text.trim(),
        chunk: chunk.index,
      }))
      .filter(({ start, end, text }) => text !== '' && from <= (start + end) / 2 && (start + end) / 2 < to);
  });
  segments.sort((a, b) => a.start - b.start || a.end - b.end);
  const last = chunks.at(-1);
  const missing = chunks.flatMap(({ index, start, duration, segments, error }) =>
    segments === undefined
      ? [{ index, start: rounded(start), end: rounded(start + duration), error: error ?? 'failed' }]
      : [],
  );
  return {
    text: segments.map(({ text }) => text).join(' '),
    segments: segments.map((segment, id) => ({ id, ...segment })),
    duration: last === undefined ? 0 : rounded(last.start + last.duration),
    complete: missing.length === 0,
    missing,
  };
}

type HeardChunk = TranscribedChunk & { segments: readonly AnswerSegment[] };

/** The middle of what two have both heard; undefined where there is no such thing. */
function borderBetween(left: HeardChunk | undefined, right: HeardChunk | undefined): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  const leftEnd = left.start + left.duration;
  return right.start <= leftEnd ? (right.start + leftEnd) / 2 : undefined;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
