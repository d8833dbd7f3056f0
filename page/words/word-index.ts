import type { Line } from './transcript-lines.ts';

/** All words of a transcript, counted over its lines. */
export interface WordIndex {
  /** Start of each word in seconds, never earlier than that of the word before it. */
  starts: readonly number[];
  /** Line of each word. */
  lines: readonly number[];
  /** First word of each line. */
  firsts: readonly number[];
  /** Text in lower case, with a space after each line. */
  text: string;
  /** Position of each word in the text. */
  offsets: readonly number[];
}

export function indexWords(all: readonly Line[]): WordIndex {
  const starts: number[] = [];
  const lines: number[] = [];
  const firsts: number[] = [];
  const offsets: number[] = [];
  let text = '';
  for (const [line, { words }] of all.entries()) {
    firsts.push(starts.length);
    let said = '';
    for (const { start, text: word } of words) {
      offsets.push(text.length + said.length);
      lines.push(line);
      starts.push(Math.max(start, starts.at(-1) ?? 0));
      said += word.toLowerCase();
    }
    text += `${said.trimEnd()} `;
  }
  return { starts, lines, firsts, text, offsets };
}

/** The last word that begins at this time or before; -1 before the first word. */
export function wordAt({ starts }: Pick<WordIndex, 'starts'>, seconds: number): number {
  return countUpTo(starts, seconds) - 1;
}

/** The first and the last word of each place where the text has the query, in order. */
export function findWords({ text, offsets }: WordIndex, query: string): [first: number, last: number][] {
  const wanted = query.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  const hits: [number, number][] = [];
  if (wanted === '') return hits;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    hits.push([countUpTo(offsets, at) - 1, countUpTo(offsets, at + wanted.length - 1) - 1]);
  }
  return hits;
}

/** Number of values up to the limit in an ascending list. */
function countUpTo(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
