import { readBits } from '../bits.ts';
import { MalformedFile } from '../malformed-file.ts';

/**
 * LAME fills bits that no main data needs (the ancillary data of ISO/IEC 11172-3, 2.4.1.8) with "LAME", its version,
 * and then an alternating bit. The alternation continues from fill to fill through the whole file (bitstream.c,
 * drain_into_ancillary).
 *
 * Up to two such fills lie between the main data of two frames: one that ends the first frame, and one of whole bytes
 * before the second. An encoder that started later alternates in another phase, which is corrected here.
 */
const letters = Buffer.from('LAME', 'latin1');
const letterL = letters[0] ?? 0;

function isVersionCharacter(byte: number): boolean {
  return byte === 0x2e || (byte >= 0x30 && byte <= 0x39);
}

/** Bit after the letters that start at bit `at`; `at` itself if there are none. */
function endOfLetters(bytes: Uint8Array, at: number, end: number): number {
  let place = at;
  for (const letter of letters) {
    if (end - place < 8 || readBits(bytes, place, 8) !== letter) return place;
    place += 8;
  }
  // No byte of alternating bits (0x55, 0xAA) is a digit or a dot.
  while (end - place >= 8 && isVersionCharacter(readBits(bytes, place, 8))) place += 8;
  return place;
}

function flipBit(bytes: Uint8Array, at: number): void {
  bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (0x80 >> (at & 7));
}

/** The alternating bit of a file that is joined from several segments. */
export class Filler {
  /** Next bit; undefined before the first one. */
  #next: number | undefined;
  /** 1 if the segment's own bits are inverted; undefined before its first bit. */
  #inverted: number | undefined;

  /** The following bits come from another encoder, with its own phase. */
  beginSegment(): void {
    this.#inverted = undefined;
  }

  /** Whole bytes of alternating bits that continue the file's own. LAME begins with a 0. */
  bytes(count: number): Buffer {
    return Buffer.alloc(count, this.#next === 1 ? 0xaa : 0x55);
  }

  /**
   * Rewrites bits `from` to `to` (exclusive) as a single encoder would have written them. Throws on bits that are not
   * LAME's filler.
   */
  continueBits(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to;) {
      const begins = at === from || (to - at) % 8 === 0;
      const afterLetters =
        begins && to - at >= 8 && readBits(bytes, at, 8) === letterL ? endOfLetters(bytes, at, to) : at;
      if (afterLetters > at) {
        at = afterLetters;
        continue;
      }
      const whole = this.#continueBytes(bytes, at, to);
      if (whole === at) this.#continueBit(bytes, at);
      at = Math.max(whole, at + 1);
    }
  }

  /**
   * Rewrites whole bytes of alternating bits from `at` on, and returns the bit after them. Silence consists of filler
   * almost alone, and takes seconds per hour bit by bit.
   */
  #continueBytes(bytes: Uint8Array, at: number, to: number): number {
    if ((at & 7) !== 0 || this.#next === undefined || this.#inverted === undefined) return at;
    const expected = this.#next === this.#inverted ? 0x55 : 0xaa;
    let byte = at >> 3;
    for (; byte < to >> 3 && bytes[byte] === expected; byte += 1) {
      if (this.#inverted === 1) bytes[byte] = expected ^ 0xff;
    }
    return byte * 8;
  }

  #continueBit(bytes: Uint8Array, at: number): void {
    const bit = readBits(bytes, at, 1);
    this.#next ??= bit;
    this.#inverted ??= bit ^ this.#next;
    if ((bit ^ this.#next) !== this.#inverted) throw new MalformedFile('ancillary data that LAME does not write');
    if (this.#inverted === 1) flipBit(bytes, at);
    this.#next ^= 1;
  }
}
