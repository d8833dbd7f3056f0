import { readBits } from '../bits.ts';
import { MalformedFile } from '../malformed-file.ts';

/**
 * LAME fills the bits that no main data needs (the ancillary data of ISO/IEC 11172-3, 2.4.1.8) with "LAME", its version
 * and then a bit that alternates, continued from fill to fill through the whole file (bitstream.c, drain_into_ancillary).
 * Between the main data of two frames there are up to two such fills: one that ends the first frame, and one of whole
 * bytes before the second. An encoder that began later has the alternating bit in another phase, which is corrected here.
 */
const letters = Buffer.from('LAME', 'latin1');
const letterL = letters[0] ?? 0;

function isVersionCharacter(byte: number): boolean {
  return byte === 0x2e || (byte >= 0x30 && byte <= 0x39);
}

/** Where the letters that begin at the bit `at` end; `at` itself where there are none. */
function endOfLetters(bytes: Uint8Array, at: number, end: number): number {
  let place = at;
  for (const letter of letters) {
    if (end - place < 8 || readBits(bytes, place, 8) !== letter) return place;
    place += 8;
  }
  // No byte of the alternating bit (0x55, 0xAA) is a digit or a dot.
  while (end - place >= 8 && isVersionCharacter(readBits(bytes, place, 8))) place += 8;
  return place;
}

function flipBit(bytes: Uint8Array, at: number): void {
  bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (0x80 >> (at & 7));
}

/** The alternating bit of a file that is joined from several. */
export class Filler {
  /** the next bit; unknown before the first */
  #next: number | undefined;
  /** 1 where the segment's own bits are inverted; unknown before its first bit */
  #inverted: number | undefined;

  /** From now on the bits come from another encoder, in a phase of its own. */
  beginSegment(): void {
    this.#inverted = undefined;
  }

  /** Makes the bits `from` to before `to` what one encoder would have written. Refuses bits that are no filler of LAME's. */
  continueBits(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to;) {
      const begins = at === from || (to - at) % 8 === 0;
      const afterLetters =
        begins && to - at >= 8 && readBits(bytes, at, 8) === letterL ? endOfLetters(bytes, at, to) : at;
      if (afterLetters > at) {
        at = afterLetters;
        continue;
      }
      this.#continueBit(bytes, at);
      at += 1;
    }
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
