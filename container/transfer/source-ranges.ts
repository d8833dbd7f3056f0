/** Bytes of a source: `end` is the first after it. */
export interface ByteRange {
  from: number;
  end: number;
}

/**
 * One source, shared by the stream that brings it from its beginning and by helpers that bring parts of it from its end, until
 * they meet. So nothing waits for the first stream, and where helpers fail it still brings everything.
 */
export class SourceRanges {
  readonly #partBytes: number;
  readonly #returned: ByteRange[] = [];
  #end: number;

  constructor(totalBytes: number, partBytes: number) {
    this.#end = totalBytes;
    this.#partBytes = partBytes;
  }

  /** Where the first stream may stop. */
  get end(): number {
    return this.#end;
  }

  /** The next part for a helper while the first stream is at `position`; undefined where the rest is not worth another request. */
  claim(position: number): ByteRange | undefined {
    const from = this.#end - this.#partBytes;
    if (from < position + this.#partBytes) return undefined;
    const range = { from, end: this.#end };
    this.#end = from;
    return range;
  }

  /** What a helper could not bring: the first stream goes on over it where it comes next, else it is fetched at the end. */
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
