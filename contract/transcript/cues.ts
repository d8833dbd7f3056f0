import type { CaptionStyle } from '../captions.ts';
import { roundToMilliseconds } from '../milliseconds.ts';
import { breakCost } from './break-cost.ts';
import { breakLines, lengthOf, LineCounter } from './cue-lines.ts';

/** A word with the space that follows, if any. */
export interface CueWord {
  text: string;
  /** seconds */
  start: number;
  end: number;
  speaker?: string;
}

export interface Cue {
  /** seconds */
  start: number;
  end: number;
  lines: string[];
  /** Speaker of all words. */
  speaker?: string;
}

/** Netflix's Timed Text Style Guide: 5/6 s to 7 s, and a pause of less than half a second between cues is closed. */
const minSeconds = 5 / 6;
const maxSeconds = 7;
const closedPauseSeconds = 0.5;

/** A cue ends at a longer pause. */
const longestPauseSeconds = 1;

/** Cost of a cue: as much as two good breaks, so that sentences are joined only if they are short. */
const cueCost = 2;

/** Cuts words into cues that end at sentences, clauses and pauses, and lays out their lines (pure). */
export function toCues(words: readonly CueWord[], style: CaptionStyle): Cue[] {
  const groups = groupWords(words, style);
  const starts = groups.map(([first]) => first?.start ?? 0);
  return groups.flatMap((group, index) => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) return [];
    const lines = breakLines(group, style.lineLength);
    const next = starts[index + 1];
    const speaker = first.speaker === undefined ? {} : { speaker: first.speaker };
    const end = endOf(first.start, last.end, lines, next === undefined ? Infinity : next - style.minGap, style);
    return [{ start: roundToMilliseconds(first.start), end: roundToMilliseconds(end), lines, ...speaker }];
  });
}

/** A cue stays until it can be read, if the next cue allows that. */
function endOf(
  start: number,
  spokenEnd: number,
  lines: string[],
  latest: number,
  { readingSpeed }: CaptionStyle,
): number {
  const characters = lines.reduce((sum, line) => sum + lengthOf(line), 0);
  const readable = Math.min(start + Math.max(minSeconds, characters / readingSpeed), start + maxSeconds);
  const wanted = Math.max(spokenEnd, readable);
  const end = latest - wanted < closedPauseSeconds ? latest : wanted;
  // Players drop a cue that does not end after its start.
  return Math.max(end, start + 0.001);
}

/** The cheapest division into cues. */
function groupWords(words: readonly CueWord[], style: CaptionStyle): CueWord[][] {
  const costs = new Float64Array(words.length + 1).fill(Infinity, 1);
  const froms = new Int32Array(words.length + 1);
  const breakCosts = words.map((_, index) => costBehind(words, index));
  for (const from of words.keys()) {
    const lines = new LineCounter(style.lineLength);
    for (let to = from + 1; to <= words.length; to += 1) {
      lines.add(words[to - 1]?.text ?? '');
      // A single word is a cue, however long it is.
      if (to > from + 1 && (lines.count > style.lines || !continuesCue(words, from, to - 1))) break;
      const cost = (costs[from] ?? 0) + cueCost + (breakCosts[to - 1] ?? 0);
      // Of two equal divisions, the one with the shorter last cue is used.
      if (cost <= (costs[to] ?? Infinity)) [costs[to], froms[to]] = [cost, from];
    }
  }
  const groups: CueWord[][] = [];
  for (let to = words.length; to > 0; to = froms[to] ?? 0) groups.push(words.slice(froms[to] ?? 0, to));
  return groups.toReversed();
}

function costBehind(words: readonly CueWord[], index: number): number {
  const [word, next] = [words[index], words[index + 1]];
  if (word === undefined || next === undefined) return 0;
  const pause = next.start - word.end;
  return pause >= closedPauseSeconds ? 0 : breakCost(word.text.trim(), next.text.trim());
}

/** Whether a cue that begins with the word `from` may still have the word `index`. */
function continuesCue(words: readonly CueWord[], from: number, index: number): boolean {
  const [first, previous, word] = [words[from], words[index - 1], words[index]];
  if (first === undefined || previous === undefined || word === undefined) return false;
  return (
    previous.speaker === word.speaker &&
    word.start - previous.end <= longestPauseSeconds &&
    word.end - first.start <= maxSeconds
  );
}
