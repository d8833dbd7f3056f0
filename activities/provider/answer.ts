import { z } from 'zod';
import { UnusableFile } from '../../stores/store-error.ts';

const Segment = z.object({ start: z.number(), end: z.number(), text: z.string() });

/** Fields read from a transcription API's `verbose_json`; the whole answer is stored too. */
const Transcription = z.object({ text: z.string(), segments: z.array(Segment).optional() });

/** Content of a chunk's answer file: the provider's answer and the text read from it, on the chunk's clock. */
export const ChunkAnswer = z.object({
  provider: z.string(),
  text: z.string(),
  /** Times in seconds from the chunk's start. */
  segments: z.array(Segment),
  answer: z.unknown(),
  /** Id of the cut; missing in files of older versions. */
  setId: z.string().optional(),
});
export type ChunkAnswer = z.infer<typeof ChunkAnswer>;
export type AnswerSegment = z.infer<typeof Segment>;

/** Several times a provider's largest answer, because the file holds the answer and what was read from it. */
export const maxAnswerFileBytes = 64 * 1024 * 1024;

export function parseChunkAnswer(text: string, url: string): ChunkAnswer {
  try {
    return ChunkAnswer.parse(JSON.parse(text));
  } catch (error) {
    throw new UnusableFile(`${url.slice(url.lastIndexOf('/') + 1)} is not an answer file written by Holdfast`, {
      cause: error,
    });
  }
}

/**
 * Undefined if the answer does not match the provider's kind. A transcription without segments (`json`, or a model without
 * them) becomes one segment. `http` accepts any JSON and reads it as a transcription if it has that form.
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
