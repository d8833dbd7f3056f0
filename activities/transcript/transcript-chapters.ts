import type { TranscriptSegment } from '../../contract/transcript/transcript.ts';

/** Entry of a podcast chapters file ("JSON Chapters Format 1.2"). */
interface PodcastChapter {
  /** seconds */
  startTime: number;
  title: string;
}

/** Providers' times are precise to tenths of a second at best, and segment borders within silence are arbitrary. */
const nearestSeconds = 5;

/** Length that players show on one line. */
const maxTitleCharacters = 60;

/**
 * Chapters of a transcript (pure). Each chapter starts at the segment nearest to a pause and is named by its first words. The
 * first starts at 0. A pause far from any segment, for example in a missing chunk, starts none.
 */
export function chaptersOfTranscript(
  segments: readonly Pick<TranscriptSegment, 'start' | 'text'>[],
  pauses: readonly number[],
): PodcastChapter[] {
  const [first] = segments;
  if (first === undefined) return [];
  const chapters = new Map<number, PodcastChapter>([[0, { startTime: 0, title: titleOf(first.text) }]]);
  for (const pause of pauses) {
    const index = nearestIndex(segments, pause);
    const { start, text } = segments[index] ?? first;
    if (chapters.has(index) || start <= 0 || Math.abs(start - pause) > nearestSeconds) continue;
    chapters.set(index, { startTime: start, title: titleOf(text) });
  }
  return [...chapters.values()].toSorted((one, other) => one.startTime - other.startTime);
}

/** The segments are in order. Of several at the same distance, the first counts. */
function nearestIndex(segments: readonly Pick<TranscriptSegment, 'start'>[], seconds: number): number {
  let [from, to] = [0, segments.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((segments[middle]?.start ?? 0) < seconds) from = middle + 1;
    else to = middle;
  }
  const distance = (index: number): number => Math.abs((segments[index]?.start ?? Infinity) - seconds);
  let nearest = distance(from - 1) <= distance(from) ? from - 1 : from;
  while (distance(nearest - 1) === distance(nearest)) nearest -= 1;
  return nearest;
}

/** Cuts at a word boundary if possible. */
function titleOf(text: string): string {
  const line = text.replaceAll(/[\p{Control}\s]+/gu, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= maxTitleCharacters) return line;
  const start = characters.slice(0, maxTitleCharacters).join('');
  const words = start.slice(0, Math.max(start.lastIndexOf(' '), 0));
  return `${words.length < start.length / 2 ? start : words}…`;
}
