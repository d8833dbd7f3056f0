import type { WordIndex } from './word-index.ts';

/** The word that a key moves to from another; undefined for other keys. */
export function wordByKey(key: string, word: number, { lines, firsts }: WordIndex): number | undefined {
  const line = lines[word] ?? 0;
  const firstOf = (other: number): number | undefined => firsts[Math.min(Math.max(0, other), firsts.length - 1)];
  switch (key) {
    case 'ArrowRight':
      return Math.min(word + 1, lines.length - 1);
    case 'ArrowLeft':
      return Math.max(word - 1, 0);
    case 'ArrowDown':
      return firstOf(line + 1);
    case 'ArrowUp':
      // The line of the word before; lines whose words were removed have none.
      return firstOf(lines[(firsts[line] ?? 0) - 1] ?? 0);
    case 'Home':
      return firstOf(line);
    case 'End':
      return (firsts[line + 1] ?? lines.length) - 1;
    default:
      return undefined;
  }
}
