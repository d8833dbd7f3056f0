/** Longest part of an id that stays on one line. */
const most = 8;

/** Parts of an id between which a line may break. Otherwise a last line could be a single letter. */
export function partsOfId(id: string): string[] {
  return id.split(/(?<=[^\p{L}\p{N}])/u).flatMap((word) => {
    const size = Math.ceil(word.length / Math.ceil(word.length / most));
    return word.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
  });
}
