import { MalformedFile } from '../malformed-file.ts';
import type { OutputFile } from '../output-file.ts';
import { Filler } from './filler.ts';
import { slotOf, type Frame } from './frame.ts';
import type { InfoCounter } from './info-counter.ts';

interface PendingFrame {
  bytes: Buffer;
  slot: Buffer;
  /** Offset of its slot, in bytes, in the stream of all slots. */
  at: number;
}

/**
 * Writes frames in order and keeps the stream of main data whole. That stream runs through the frames' slots regardless
 * of frame borders (ISO/IEC 11172-3, 2.4.3.1), so a frame is held back until no later frame's main data can lie in its
 * slot.
 */
export class FrameWriter {
  readonly #output: OutputFile;
  readonly #counter: InfoCounter;
  readonly #filler = new Filler();
  #pending: PendingFrame[] = [];
  /** Bytes of all slots so far. */
  #slotEnd = 0;
  /** Bit at which the last frame's main data ended. */
  #mainDataEnd = 0;

  constructor(output: OutputFile, counter: InfoCounter) {
    this.#output = output;
    this.#counter = counter;
  }

  /**
   * Appends the first frame of a segment with its bit reservoir: the bytes before its slot in its own file. The
   * reservoir of the frames before may be larger. Filler takes these `surplus` bytes.
   */
  async appendFirst(frame: Frame, reservoir: Buffer, surplus = 0): Promise<void> {
    const from = this.#slotEnd - reservoir.length - surplus;
    this.#continueFiller(from * 8);
    this.#writeToSlots(from, Buffer.concat([this.#filler.bytes(surplus), reservoir]));
    this.#filler.beginSegment();
    await this.#push(frame);
  }

  async append(frame: Frame): Promise<void> {
    this.#beginMainData(frame);
    await this.#push(frame);
  }

  async finish(): Promise<void> {
    this.#continueFiller(this.#slotEnd * 8);
    for (const { bytes } of this.#pending) await this.#write(bytes);
    this.#pending = [];
  }

  #beginMainData(frame: Frame): void {
    this.#continueFiller((this.#slotEnd - frame.mainDataBegin) * 8);
  }

  #continueFiller(bit: number): void {
    if (bit < this.#mainDataEnd)
      throw new MalformedFile('main data that begins before the previous frame ends its own');
    if (bit === this.#mainDataEnd) return;
    const firstByte = Math.floor(this.#mainDataEnd / 8);
    const bytes = this.#copySlots(firstByte, Math.ceil(bit / 8));
    this.#filler.continueBits(bytes, this.#mainDataEnd - firstByte * 8, bit - firstByte * 8);
    this.#writeToSlots(firstByte, bytes);
  }

  async #push(frame: Frame): Promise<void> {
    this.#mainDataEnd = (this.#slotEnd - frame.mainDataBegin) * 8 + frame.mainDataBits;
    const bytes = Buffer.from(frame.bytes);
    const slot = slotOf({ ...frame, bytes });
    this.#pending.push({ bytes, slot, at: this.#slotEnd });
    this.#slotEnd += slot.length;
    if (this.#mainDataEnd > this.#slotEnd * 8) throw new MalformedFile('main data that runs past its frame');
    const completeUpTo = Math.floor(this.#mainDataEnd / 8);
    for (let [oldest] = this.#pending; oldest !== undefined && oldest.at + oldest.slot.length <= completeUpTo;) {
      await this.#write(oldest.bytes);
      this.#pending.shift();
      [oldest] = this.#pending;
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#counter.add(bytes);
    await this.#output.append(bytes);
  }

  /** Copies bytes `from` to `to` (exclusive) of the stream of slots. */
  #copySlots(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(to - from);
    for (const { slot, at } of this.#pending) {
      if (at >= to || at + slot.length <= from) continue;
      slot.copy(bytes, Math.max(0, at - from), Math.max(0, from - at), Math.min(slot.length, to - at));
    }
    return bytes;
  }

  #writeToSlots(from: number, bytes: Buffer): void {
    const to = from + bytes.length;
    const [oldest] = this.#pending;
    if (bytes.length > 0 && (oldest === undefined || oldest.at > from)) {
      throw new MalformedFile('a reservoir that reaches back too far');
    }
    for (const { slot, at } of this.#pending) {
      if (at >= to || at + slot.length <= from) continue;
      bytes.copy(slot, Math.max(0, from - at), Math.max(0, at - from), Math.min(bytes.length, at + slot.length - from));
    }
  }
}
