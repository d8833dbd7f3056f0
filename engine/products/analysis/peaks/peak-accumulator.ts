/** the peak of a sample at full scale */
export const fullScalePeak = 32_768;

export interface PeakLayout {
  /** pairs of each channel */
  pixels: number;
  /** The sample before which a pixel ends, and the next begins. */
  endOf(pixel: number): number;
  /** Peaks of each channel, in place of the mean of all. */
  splitChannels: boolean;
}

/**
 * The least and the greatest sample of each pixel, as whole numbers of 16 bits. As in audiowaveform fractions fall away, those of
 * the mean of the channels too, so that sources of 16 bits come to the same numbers.
 */
export class PeakAccumulator {
  readonly #channels: number;
  readonly #endOf: PeakLayout['endOf'];
  /** Least and greatest value of each pixel and channel. */
  readonly #peaks: Int16Array<ArrayBuffer>;
  /** What the pixel has so far, for each channel that goes out. */
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  #pixel = 0;
  #end: number;
  /** samples that are in, of each channel */
  #samples = 0;

  constructor(channels: number, { pixels, endOf, splitChannels }: PeakLayout) {
    const outputs = splitChannels ? channels : 1;
    this.#channels = channels;
    this.#endOf = endOf;
    this.#end = endOf(0);
    this.#peaks = new Int16Array(pixels * outputs * 2);
    this.#least = new Float64Array(outputs).fill(Infinity);
    this.#greatest = new Float64Array(outputs).fill(-Infinity);
  }

  add(block: Float32Array): void {
    const channels = this.#channels;
    for (let at = 0; at < block.length;) {
      const end = Math.min(block.length, at + (this.#end - this.#samples) * channels);
      this.#addToPixel(block, at, end);
      this.#samples += (end - at) / channels;
      at = end;
      if (this.#samples === this.#end) this.#finishPixel();
    }
  }

  /** When all samples are in. The least and the greatest in turn, of the channels in turn. */
  peaks(): Int16Array<ArrayBuffer> {
    if (this.#samples > (this.#pixel === 0 ? 0 : this.#endOf(this.#pixel - 1))) this.#finishPixel();
    return this.#peaks;
  }

  #addToPixel(block: Float32Array, from: number, to: number): void {
    const outputs = this.#least.length;
    // What is added up for one output: all channels for the mean, else one.
    const summed = this.#channels / outputs;
    for (let output = 0; output < outputs; output += 1) {
      let [least = Infinity, greatest = -Infinity] = [this.#least[output], this.#greatest[output]];
      for (let at = from + output * summed; at < to; at += this.#channels) {
        let value = block[at] ?? 0;
        for (let next = 1; next < summed; next += 1) value += block[at + next] ?? 0;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
      this.#least[output] = least;
      this.#greatest[output] = greatest;
    }
  }

  #finishPixel(): void {
    const outputs = this.#least.length;
    const summed = this.#channels / outputs;
    for (let output = 0; output < outputs; output += 1) {
      const [least = 0, greatest = 0] = [this.#least[output], this.#greatest[output]];
      // Samples that are no numbers, as floating point may have them, are neither.
      const isThere = least <= greatest;
      const place = (this.#pixel * outputs + output) * 2;
      this.#peaks[place] = isThere ? toSixteenBits(least / summed) : 0;
      this.#peaks[place + 1] = isThere ? toSixteenBits(greatest / summed) : 0;
    }
    this.#least.fill(Infinity);
    this.#greatest.fill(-Infinity);
    this.#pixel += 1;
    this.#end = this.#endOf(this.#pixel);
  }
}

function toSixteenBits(value: number): number {
  return Math.trunc(Math.max(-fullScalePeak, Math.min(fullScalePeak - 1, value * fullScalePeak)));
}
