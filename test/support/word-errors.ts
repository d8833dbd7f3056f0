/** Letters and digits of the words of a text. */
export function plainWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[^\p{Letter}\p{Number}]/gu, ''))
    .filter((word) => word !== '');
}

export interface Alignment {
  /** Wrong, missing and additional words. */
  errors: number;
  /** Positions of the words that are the same in both. */
  pairs: [said: number, heard: number][];
}

/** Levenshtein alignment of words, as the word error rate is defined. */
export function alignTexts(said: readonly string[], heard: readonly string[]): Alignment {
  const width = heard.length + 1;
  const costs = new Uint32Array((said.length + 1) * width);
  for (let i = said.length; i >= 0; i -= 1) {
    for (let j = heard.length; j >= 0; j -= 1) {
      const [down, right] = [costs[(i + 1) * width + j] ?? 0, costs[i * width + j + 1] ?? 0];
      if (i === said.length) costs[i * width + j] = heard.length - j;
      else if (j === heard.length) costs[i * width + j] = said.length - i;
      else {
        const both = (costs[(i + 1) * width + j + 1] ?? 0) + (said[i] === heard[j] ? 0 : 1);
        costs[i * width + j] = Math.min(both, down + 1, right + 1);
      }
    }
  }
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < said.length && j < heard.length;) {
    const here = costs[i * width + j] ?? 0;
    const isSame = said[i] === heard[j];
    if (here === (costs[(i + 1) * width + j + 1] ?? 0) + (isSame ? 0 : 1)) {
      if (isSame) pairs.push([i, j]);
      [i, j] = [i + 1, j + 1];
    } else if (here === (costs[(i + 1) * width + j] ?? 0) + 1) i += 1;
    else j += 1;
  }
  return { errors: costs[0] ?? 0, pairs };
}
