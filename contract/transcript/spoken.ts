import type { CueWord } from './cues.ts';
import type { Transcript } from './transcript.ts';

/** A word of a provider's answer. */
export interface AnswerWord {
  word: string;
  /** Seconds from the chunk's start. */
  start: number;
  end: number;
  /** 0 to 1 */
  confidence?: number | undefined;
}

/** A segment of a provider's answer. */
export interface AnswerSegment {
  /** Seconds from the chunk's start. */
  start: number;
  end: number;
  text: string;
}

export interface SpokenWord {
  /** Includes the punctuation and the space that follow, so that the words of a segment together are its text. */
  text: string;
  /** seconds */
  start: number;
  end: number;
  /** 0 to 1; undefined if the provider does not report it. */
  confidence?: number;
  /** S1, S2, … */
  speaker?: string;
}

export interface SpokenSegment {
  start: number;
  end: number;
  words: SpokenWord[];
}

/** Spaces and punctuation between a word and the word before it. More text may mean that the word was found too late. */
const maxCharactersBetween = 12;

/** A word with the text that is searched for. */
interface SoughtWord extends AnswerWord {
  sought: string;
}

/**
 * Places the words of an answer in the text of its segments (pure). OpenAI's words have no punctuation and no spaces, which only the
 * segments have. A segment without words of its own gets words whose times are estimated by their length.
 */
export function spokenSegments(segments: readonly AnswerSegment[], words: readonly AnswerWord[]): SpokenSegment[] {
  const soughtWords = words
    .map((word) => ({ ...word, sought: lowered(onOneLine(word.word)) }))
    .filter(({ sought }) => sought !== '');
  let next = 0;
  return segments.map(({ start, end, text: answered }) => {
    const text = onOneLine(answered);
    const lower = lowered(text);
    const places: { at: number; word: AnswerWord }[] = [];
    let from = 0;
    for (;;) {
      const found = findWord({ start, end, text: lower }, from, soughtWords, next);
      if (found === undefined) break;
      const { at, word, index } = found;
      places.push({ at, word });
      from = at + word.sought.length;
      next = index + 1;
    }
    if (places.length === 0) return { start, end, words: estimatedWords({ start, end, text }) };
    const placed = places.map(({ at, word }, index): SpokenWord => {
      const confidence = word.confidence === undefined ? {} : { confidence: word.confidence };
      // The first word takes an opening quotation mark.
      return { text: text.slice(index === 0 ? 0 : at, places[index + 1]?.at), ...timesOf(word), ...confidence };
    });
    return { start, end, words: placed };
  });
}

/**
 * Finds the next word of the segment after `from`. Undefined: the next words belong to later segments. A word that
 * is not where it should be, such as `10` beside the text `ten`, is skipped if a later word of the segment is found.
 */
function findWord(
  { start, end, text }: AnswerSegment,
  from: number,
  words: readonly SoughtWord[],
  next: number,
): { at: number; word: SoughtWord; index: number } | undefined {
  for (let index = next; ; index += 1) {
    const word = words[index];
    if (word === undefined) return undefined;
    const at = text.indexOf(word.sought, from);
    if (index === next && isNear(at, from)) return { at, word, index };
    if (word.start >= end) return undefined;
    const behind = at + word.sought.length;
    if (at >= 0 && word.end > start && isFollowed(text, behind, words[index + 1], end)) return { at, word, index };
  }
}

/** True if the word after it follows too, or the segment has no further words: the word is no coincidence. */
function isFollowed(text: string, behind: number, following: SoughtWord | undefined, end: number): boolean {
  if (!/[\p{L}\p{N}]/u.test(text.slice(behind))) return true;
  return following !== undefined && following.start < end && isNear(text.indexOf(following.sought, behind), behind);
}

function isNear(at: number, from: number): boolean {
  return at >= 0 && at - from <= maxCharactersBetween;
}

/** An empty line would end a cue. */
function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** The text in lower case, where each character keeps its place: `İ` alone would become two characters. */
function lowered(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** Words of a text whose times are estimated by their length. */
function estimatedWords({ start, end, text }: AnswerSegment): SpokenWord[] {
  const perCharacter = (end - start) / Math.max(1, text.length);
  let at = 0;
  return wordsOf(text).map((word) => {
    const from = start + at * perCharacter;
    at += word.length;
    return { text: word, start: from, end: start + at * perCharacter };
  });
}

/** Words with the space that follows each. Chinese, Japanese and Thai have no spaces. */
function wordsOf(text: string): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? [];
  if (words.every((word) => word.trim().length <= 30)) return words;
  const parts: string[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) {
    if (isWordLike === true || parts.length === 0) parts.push(segment);
    else parts.push(`${parts.pop() ?? ''}${segment}`);
  }
  return parts;
}

function timesOf({ start, end }: AnswerWord): { start: number; end: number } {
  return { start, end: Math.max(start, end) };
}

export function textOf(words: readonly Pick<SpokenWord, 'text'>[]): string {
  return words
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** A space follows each segment, as in the whole text. */
export function cueWordsOf({ words }: SpokenSegment): CueWord[] {
  return words.map(({ text, start, end, speaker }, index) => ({
    text: index === words.length - 1 ? `${text.trimEnd()} ` : text,
    ...{ start, end },
    ...(speaker !== undefined && { speaker }),
  }));
}

/** The words of each segment with the spaces between them (pure). The times are estimated if the segment has no words. */
export function spokenSegmentsOf({ segments }: Pick<Transcript, 'segments'>): SpokenSegment[] {
  return segments.flatMap(({ words: stored = [], speaker, ...segment }) => {
    const answered = stored.map(({ text: word, ...facts }) => ({ word, ...facts }));
    const spoken = spokenSegments([segment], answered);
    if (speaker === undefined) return spoken;
    return spoken.map(({ words, ...times }) => ({ ...times, words: words.map((word) => ({ ...word, speaker })) }));
  });
}
