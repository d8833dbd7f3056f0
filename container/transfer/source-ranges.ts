import type { ByteRange } from '../../engine/spread/byte-ranges.ts';

/** Large enough to outweigh a request's latency, small enough for all connections to end at about the same time. */
export const partBytes = 8 * 1024 ** 2;

/**
 * Shares one source between a stream that reads from its beginning and helpers that fetch parts from its end, until
 * they meet. Nothing waits for the first stream, and if helpers fail it still reads everything.
 */
export class SourceRanges {
  readonly #partBytes: number;
  readonly #returned: ByteRange[] = [];
  #end: number;

  constructor(totalBytes: number, partBytes: number) {
    this.#end = totalBytes;
    this.#partBytes = partBytes;
  }

  /** Position at which the first stream may stop. */
  get end(): number {
    return this.#end;
  }

  /** Next part for a helper while the first stream is at `position`; undefined if the rest is not worth a request. */
  claim(position: number): ByteRange | undefined {
    const from = this.#end - this.#partBytes;
    if (from < position + this.#partBytes) return undefined;
    const range = { from, end: this.#end };
    this.#end = from;
    return range;
  }

  /**
   * Returns a part that a helper could not fetch. The first stream reads it when it gets there; a passed part is
   * fetched at the end.
   */
  giveBack(range: ByteRange): void {
    if (range.from < range.end) this.#returned.push(range);
    for (let next = this.#takeAt(this.#end); next !== undefined; next = this.#takeAt(this.#end)) this.#end = next.end;
  }

  takeReturned(): ByteRange | undefined {
    return this.#returned.pop();
  }

  #takeAt(from: number): ByteRange | undefined {
    const index = this.#returned.findIndex((range) => range.from === from);
    return index === -1 ? undefined : this.#returned.splice(index, 1)[0];
  }
}
