import { breakCost } from './break-cost.ts';

/** A word of a cue. `text` includes the space that follows, if any. */
export interface LineWord {
  text: string;
}

const surrogate = /[\uD800-\uDFFF]/;

/** Characters as a person counts them. Most text has no surrogates, and a list of its characters would be slow. */
export function lengthOf(text: string): number {
  const trimmed = text.trim();
  return surrogate.test(trimmed) ? Array.from(trimmed).length : trimmed.length;
}

/** Counts the lines that words need at least. A word longer than a line has its own. */
export class LineCounter {
  count = 0;
  readonly #lineLength: number;
  #line = '';

  constructor(lineLength: number) {
    this.#lineLength = lineLength;
  }

  add(text: string): void {
    if (this.count > 0 && lengthOf(this.#line + text) <= this.#lineLength) this.#line += text;
    else [this.#line, this.count] = [text, this.count + 1];
  }
}

/** Breaks the words of a cue into as few lines as possible, at clauses and with lines of similar length (pure). */
export function breakLines(words: readonly LineWord[], lineLength: number): string[] {
  const lines = new LineCounter(lineLength);
  for (const { text } of words) lines.add(text);
  return bestLines(words, lines.count, lineLength).lines;
}

function bestLines(words: readonly LineWord[], count: number, lineLength: number): { lines: string[]; cost: number } {
  const whole = words
    .map(({ text }) => text)
    .join('')
    .trim();
  if (count <= 1) return { lines: [whole], cost: lengthOf(whole) > lineLength && words.length > 1 ? Infinity : 0 };
  let best: { lines: string[]; cost: number } = { lines: [whole], cost: Infinity };
  for (let at = 1; at <= words.length - (count - 1); at += 1) {
    const first = words.slice(0, at);
    const line = bestLines(first, 1, lineLength);
    if (line.cost === Infinity) break;
    const rest = bestLines(words.slice(at), count - 1, lineLength);
    // A line that is a third longer costs as much as a break within a phrase.
    const longest = Math.max(...rest.lines.map(lengthOf));
    const imbalance = Math.abs(lengthOf(line.lines[0] ?? '') - longest) / lineLength;
    const between = breakCost(first.at(-1)?.text.trim() ?? '', words[at]?.text.trim());
    const cost = between + 10 * imbalance + rest.cost;
    if (cost < best.cost || best.cost === Infinity) best = { lines: [...line.lines, ...rest.lines], cost };
  }
  return best;
}
