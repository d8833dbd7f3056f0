import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import { type SpokenWord, spokenSegments, spokenSegmentsOf, textOf } from '../../contract/transcript/spoken.ts';
import type { Transcript } from '../../contract/transcript/transcript.ts';
import { matchWords } from './match-words.ts';

/** A segment of a transcript that a person may correct. */
export interface Line {
  /** seconds on the source's clock */
  start: number;
  end: number;
  /** Index of the chunk that the segment is from. */
  chunk: number;
  speaker?: string;
  words: readonly SpokenWord[];
  /** False if the times of the words are estimated. */
  hasWordTimes: boolean;
}

/** What a transcript has besides its segments. */
export type TranscriptFacts = Omit<Transcript, 'text' | 'segments'>;

export function linesOfTranscript({ segments }: Pick<Transcript, 'segments'>): Line[] {
  const spoken = spokenSegmentsOf({ segments });
  return segments.map(({ start, end, chunk, speaker, words }, index) => ({
    ...{ start, end, chunk, words: spoken[index]?.words ?? [], hasWordTimes: words !== undefined },
    ...(speaker !== undefined && { speaker }),
  }));
}

/** The transcript of corrected lines. Lines without words are left out. */
export function transcriptOfLines(facts: TranscriptFacts, lines: readonly Line[]): Transcript {
  const segments = lines
    .filter(({ words }) => words.length > 0)
    .map(({ start, end, chunk, speaker, words, hasWordTimes }, id) => ({
      ...{ id, start, end, text: textOf(words), chunk },
      ...(speaker !== undefined && { speaker }),
      ...(hasWordTimes && {
        words: words.map((word) => storedWord(speaker === undefined ? word : { ...word, speaker })),
      }),
    }));
  return { ...facts, text: segments.map(({ text }) => text).join(' '), segments };
}

function storedWord({ text, start, end, ...facts }: SpokenWord): SpokenWord {
  return { text: text.trim(), start: roundToMilliseconds(start), end: roundToMilliseconds(end), ...facts };
}

/** Replaces the text of a line (pure). Unchanged words keep their times. Changed words share the time of those they replace. */
export function correctLine(line: Line, text: string): Line {
  const { start, end, hasWordTimes, words: before } = line;
  const after = spokenSegments([{ start, end, text }], []).flatMap(({ words }) => words);
  if (!hasWordTimes) return { ...line, words: after };
  const same = matchWords(before.map(trimmed), after.map(trimmed));
  const words: SpokenWord[] = [];
  let [from, to] = [0, 0];
  for (const [old, next] of [...same, [before.length, after.length] as const]) {
    const replaced = before.slice(from, old);
    const place = {
      start: replaced[0]?.start ?? before[old - 1]?.end ?? start,
      end: replaced.at(-1)?.end ?? before[old]?.start ?? end,
    };
    words.push(...spread(after.slice(to, next), place));
    const kept = before[old];
    if (kept !== undefined) words.push({ ...kept, text: after[next]?.text ?? kept.text });
    [from, to] = [old + 1, next + 1];
  }
  return { ...line, words };
}

/** Spreads words over a time by their length. */
function spread(words: readonly SpokenWord[], { start, end }: { start: number; end: number }): SpokenWord[] {
  const length = words.reduce((sum, { text }) => sum + text.length, 0);
  const seconds = Math.max(0, end - start);
  let at = 0;
  return words.map(({ text }) => {
    const from = start + (seconds * at) / length;
    at += text.length;
    return { text, start: from, end: start + (seconds * at) / length };
  });
}

function trimmed({ text }: SpokenWord): string {
  return text.trim();
}
