import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { CueWord } from '../../contract/transcript/cues.ts';
import { joinChunks } from './join-chunks.ts';
import { toLanguageTag } from './language-tag.ts';
import {
  type AnswerSegment,
  type AnswerWord,
  cueWordsOf,
  type SpokenSegment,
  spokenSegments,
  textOf,
} from '../../contract/transcript/spoken.ts';
import type { Transcript, TranscriptSegment } from '../../contract/transcript/transcript.ts';
import type { WantedSpeakers } from '../../contract/speakers.ts';
import type { VoiceWindow } from './cluster-voices.ts';
import { nameSegments } from './speakers.ts';

/** Speech that a provider found in a chunk. Times are seconds from the chunk's start. */
export interface ChunkSpeech {
  windows: readonly { start: number; end: number }[];
  /** Text that the model invented where nobody speaks. */
  dropped: readonly AnswerSegment[];
}

export interface TranscribedChunk {
  index: number;
  /** seconds from the start of the source */
  start: number;
  /** seconds */
  duration: number;
  /** Undefined if the chunk failed. */
  segments: readonly AnswerSegment[] | undefined;
  /** Undefined if the provider reports no times of words. */
  words?: readonly AnswerWord[] | undefined;
  /** The provider's own name of the language: `en`, `english`. */
  language?: string | undefined;
  /** Undefined if the provider does not report where speech is. */
  speech?: ChunkSpeech | undefined;
  /** Times from the chunk's start. Undefined unless speakers are wanted. */
  voices?: readonly VoiceWindow[] | undefined;
  error?: string;
}

export interface SpokenTranscript {
  transcript: Transcript;
  /** All words, also those whose times are estimated, each with the space that follows. */
  words: CueWord[];
}

/**
 * Builds one transcript on the source's clock from overlapping chunks (pure). Words in an overlap are kept once. For a failed
 * chunk, only the overlaps of its neighbours remain.
 */
export function buildTranscript(chunks: readonly TranscribedChunk[], speakers?: WantedSpeakers): SpokenTranscript {
  const withSegments = chunks.filter((chunk): chunk is ChunkWithSegments => chunk.segments !== undefined);
  const spoken = withSegments.map((chunk) => ({
    start: chunk.start,
    end: chunk.start + chunk.duration,
    segments: spokenSegments(chunk.segments, chunk.words ?? []).map((segment) => moveBy(segment, chunk.start)),
    hasWordTimes: hasWordTimes(chunk),
  }));
  const { chunks: joined, joins } = joinChunks(spoken);
  const named = speakers === undefined ? joined : nameSegments(joined, windowsOf(withSegments), speakers);
  const kept = named.flatMap((segments, position) => {
    const chunk = withSegments[position];
    return chunk === undefined ? [] : segments.map((segment) => ({ segment, chunk }));
  });
  const segments = kept.map(({ segment, chunk }) => segmentOf(segment, chunk));
  const last = chunks.at(-1);
  const missing = chunks
    .filter((chunk) => chunk.segments === undefined)
    .map((chunk) => ({ ...rangeOf(chunk), error: chunk.error ?? 'failed' }));
  const language = languageOf(withSegments);
  const ordered = inOrder(segments.filter(({ text }) => text !== ''));
  const transcript = {
    text: ordered.map(({ text }) => text).join(' '),
    ...(language !== undefined && { language }),
    segments: ordered.map((segment, id) => ({ id, ...segment })),
    duration: last === undefined ? 0 : roundToMilliseconds(last.start + last.duration),
    complete: missing.length === 0,
    missing,
    joins,
    withoutSpeech: chunks.filter(({ speech }) => speech?.windows.length === 0).map(rangeOf),
    dropped: chunks.flatMap(({ start, speech }) =>
      (speech?.dropped ?? []).map((part) => ({
        start: roundToMilliseconds(start + part.start),
        end: roundToMilliseconds(start + part.end),
        text: part.text,
      })),
    ),
  };
  return { transcript, words: kept.flatMap(({ segment }) => cueWordsOf(segment)) };
}

type ChunkWithSegments = TranscribedChunk & { segments: readonly AnswerSegment[] };

function rangeOf({ index, start, duration }: TranscribedChunk): { index: number; start: number; end: number } {
  return { index, start: roundToMilliseconds(start), end: roundToMilliseconds(start + duration) };
}

function hasWordTimes({ words = [] }: TranscribedChunk): boolean {
  return words.length > 0;
}

function segmentOf({ start, end, words }: SpokenSegment, chunk: ChunkWithSegments): Omit<TranscriptSegment, 'id'> {
  return {
    start: roundToMilliseconds(start),
    end: roundToMilliseconds(end),
    text: textOf(words),
    chunk: chunk.index,
    ...(words[0]?.speaker !== undefined && { speaker: words[0].speaker }),
    ...(hasWordTimes(chunk) && {
      words: words.map(({ text, start: from, end: to, ...confidence }) => ({
        text: text.trim(),
        start: roundToMilliseconds(from),
        end: roundToMilliseconds(to),
        ...confidence,
      })),
    }),
  };
}

/** A join may put a segment a few milliseconds before the end of the one before it. */
function inOrder(segments: readonly Omit<TranscriptSegment, 'id'>[]): Omit<TranscriptSegment, 'id'>[] {
  let least = 0;
  return segments.map((segment) => {
    const start = Math.max(segment.start, least);
    least = start;
    return { ...segment, start, end: Math.max(segment.end, start) };
  });
}

function windowsOf(chunks: readonly TranscribedChunk[]): VoiceWindow[] {
  return chunks.flatMap(({ start, voices = [] }) =>
    voices.map((window) => ({ ...window, start: window.start + start, end: window.end + start })),
  );
}

function moveBy({ start, end, words }: SpokenSegment, seconds: number): SpokenSegment {
  const moved = words.map((word) => ({ ...word, start: word.start + seconds, end: word.end + seconds }));
  return { start: start + seconds, end: end + seconds, words: moved };
}

/** The language of most chunks; the detection may err for a chunk. */
function languageOf(chunks: readonly TranscribedChunk[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { language } of chunks) {
    const tag = language === undefined ? undefined : toLanguageTag(language);
    if (tag !== undefined) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}
