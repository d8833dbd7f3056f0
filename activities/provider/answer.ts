import { z } from 'zod';
import { UnusableFile } from '../../stores/store-error.ts';

const Segment = z.object({ start: z.number(), end: z.number(), text: z.string() });

/** What we read of a transcription API's `verbose_json`; the whole answer is kept beside it. */
const Transcription = z.object({ text: z.string(), segments: z.array(Segment).optional() });

/** The content of a chunk's answer file: the provider's answer, and the text read from it on the chunk's clock. */
export const ChunkAnswer = z.object({
  provider: z.string(),
  text: z.string(),
  /** in seconds from the chunk's start */
  segments: z.array(Segment),
  answer: z.unknown(),
  /** Of the chunks that belong together. Missing in what a former version wrote. */
  setId: z.string().optional(),
});
export type ChunkAnswer = z.infer<typeof ChunkAnswer>;
export type AnswerSegment = z.infer<typeof Segment>;

/** Several times the largest answer of a provider: the file holds it as it was, and the text and segments read from it. */
export const maxAnswerFileBytes = 64 * 1024 * 1024;

export function parseChunkAnswer(text: string, url: string): ChunkAnswer {
  try {
    return ChunkAnswer.parse(JSON.parse(text));
  } catch (error) {
    throw new UnusableFile(`${url.slice(url.lastIndexOf('/') + 1)} is not an answer that we wrote`, {
      cause: error,
    });
  }
}

/**
 * Undefined where the answer is not what the provider's kind promises. A transcription without segments (`json`, or a model that knows none) is one segment
 * over the whole chunk. Any JSON is an answer to `http`; where it has the form of a transcription it is read as one.
 */
export function readAnswer(
  kind: 'openai-transcription' | 'http',
  provider: string,
  answer: unknown,
  durationSeconds: number,
): ChunkAnswer | undefined {
  const parsed = Transcription.safeParse(answer);
  if (!parsed.success) return kind === 'http' ? { provider, text: '', segments: [], answer } : undefined;
  const text = parsed.data.text.trim();
  const whole = text === '' ? [] : [{ start: 0, end: durationSeconds, text }];
  const segments = parsed.data.segments?.filter(isInTime) ?? [];
  return { provider, text, segments: segments.length === 0 ? whole : segments, answer };
}

function isInTime({ start, end }: AnswerSegment): boolean {
  return Number.isFinite(start) && Number.isFinite(end) && start >= 0 && end >= start;
}
