import { z } from 'zod';
import type { VoiceWindow } from '../transcript/cluster-voices.ts';
import type { ChunkSpeech } from '../transcript/transcript.ts';
import { listOf } from '../../contract/list-of.ts';
import { fileNameOf } from '../../stores/signed-http.ts';
import { UnusableFile } from '../../stores/store-error.ts';
import { answerLimits, parseBoundedJson } from '../bounded-json.ts';

const Segment = z.object({ start: z.number(), end: z.number(), text: z.string() });

/** `probability` is reported by engines of Whisper, not by OpenAI. It is checked by itself: `catch` is slow. */
const ProviderWords = listOf(
  z.object({ word: z.string(), start: z.number(), end: z.number(), probability: z.unknown().optional() }),
);
type ProviderWord = z.infer<typeof ProviderWords>[number];

/** Fields read from a transcription API's `verbose_json`; the whole answer is stored too. */
const Transcription = z.object({
  text: z.string(),
  language: z.string().optional().catch(undefined),
  /** Some servers put words into segments. */
  segments: listOf(Segment.extend({ words: z.unknown().optional() })).nullish(),
  words: ProviderWords.optional().catch(undefined),
});

/** Zod takes ten times as long for a list of a million numbers. */
const Numbers = z.custom<number[]>((value) => Array.isArray(value) && value.every(Number.isFinite));

const AnswerVoices = z.object({
  voices: listOf(z.object({ start: z.number(), end: z.number(), vector: Numbers })),
});

const AnswerSpeech = z.object({
  windows: listOf(z.object({ start: z.number(), end: z.number() })),
  dropped: listOf(Segment),
});

/** Content of a chunk's answer file: the provider's answer and the text read from it, on the chunk's clock. */
export const ChunkAnswer = z.object({
  provider: z.string(),
  text: z.string(),
  /** Times in seconds from the chunk's start. */
  segments: listOf(Segment),
  /** Missing if the provider reports no words, and in files of older versions. */
  words: listOf(
    z.object({ word: z.string(), start: z.number(), end: z.number(), confidence: z.number().optional() }),
  ).optional(),
  language: z.string().optional(),
  /** Whether the text is a translation into English. */
  translated: z.literal(true).optional(),
  answer: z.unknown(),
  /** Id of the cut; missing in files of older versions. */
  setId: z.string().optional(),
});
export type ChunkAnswer = z.infer<typeof ChunkAnswer>;

/** Several times a provider's largest answer, because the file holds the answer and what was read from it. */
export const maxAnswerFileBytes = 64 * 1024 * 1024;

/** The file has a field with the answer, at most as many values that were read from it, and other fields. */
const fileLimits = { values: 2 * answerLimits.values + 100, depth: answerLimits.depth + 1 };

export function parseChunkAnswer(text: string, url: string): ChunkAnswer {
  try {
    return ChunkAnswer.parse(parseBoundedJson(text, fileLimits));
  } catch (error) {
    throw new UnusableFile(`${fileNameOf(url)} is not an answer file written by Holdfast`, {
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
  const answered = parsed.data.segments ?? [];
  const text = parsed.data.text.trim() || textOfSegments(answered);
  const whole = text === '' ? [] : [{ start: 0, end: durationSeconds, text }];
  const segments = inOrderOf(answered, placeInChunk(answered, durationSeconds));
  const within = answered.flatMap(({ words }): unknown[] => (Array.isArray(words) ? words : []));
  const answeredWords = parsed.data.words ?? ProviderWords.safeParse(within).data ?? [];
  const words = inOrderOf(answered, placeInChunk(answeredWords, durationSeconds));
  const { language } = parsed.data;
  return {
    provider,
    text,
    segments:
      segments.length === 0 ? whole : segments.map(({ start, end, text: spoken }) => ({ start, end, text: spoken })),
    ...(words.length > 0 && { words: words.map(readWord) }),
    ...(language !== undefined && { language }),
    answer,
  };
}

/** Voices in the provider's own answer, on the chunk's clock. Undefined if it was not asked for them. */
export function voicesOf({ answer }: Pick<ChunkAnswer, 'answer'>): VoiceWindow[] | undefined {
  return AnswerVoices.safeParse(answer).data?.voices.map(({ vector, ...times }) => ({
    ...times,
    vector: Float32Array.from(vector),
  }));
}

/** Speech that the provider found, on the chunk's clock. Undefined if the provider does not report it. */
export function speechOf({ answer }: Pick<ChunkAnswer, 'answer'>): ChunkSpeech | undefined {
  return AnswerSpeech.safeParse(answer).data;
}

function readWord({ word, start, end, probability }: ProviderWord) {
  return { word, start, end, ...(isShare(probability) && { confidence: probability }) };
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function textOfSegments(segments: readonly { text: string }[]): string {
  return segments
    .map(({ text }) => text.trim())
    .join(' ')
    .trim();
}

interface Times {
  start: number;
  end: number;
}

/**
 * Moves parts of a transcription into their chunk (pure). Engines of Whisper end the last segment up to 30 s after the
 * sound, and some put an end before its start. A join would leave out such a segment with its text. If most times are
 * impossible, such as 0 or milliseconds, none can be trusted, and there are no parts.
 */
function placeInChunk<Part extends Times>(parts: readonly Part[], seconds: number): Part[] {
  const isPossible = ({ start, end }: Part): boolean => end > start && start < seconds;
  if (parts.filter(isPossible).length * 2 < parts.length) return [];
  return parts.map((part) => {
    const start = Math.min(Math.max(part.start, 0), seconds);
    return { ...part, start, end: Math.min(Math.max(part.end, start), seconds) };
  });
}

/** Sorts parts by time if the segments of the answer are unordered. Times of words alone may overlap a little. */
function inOrderOf<Part extends Times>(segments: readonly Times[], parts: Part[]): Part[] {
  const isOrdered = segments.every(({ start }, index) => start >= (segments[index - 1]?.start ?? 0));
  return isOrdered ? parts : parts.toSorted((one, other) => one.start - other.start);
}
