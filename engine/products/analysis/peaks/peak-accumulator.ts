/** peak of a full-scale sample */
export const fullScalePeak = 32_768;

export interface PeakLayout {
  /** pairs per channel */
  pixels: number;
  /** Sample at which a pixel ends and the next begins. */
  endOf(pixel: number): number;
  /** Computes peaks of each channel instead of the mean of all. */
  splitChannels: boolean;
}

/**
 * Minimum and maximum sample of each pixel as 16-bit integers. Fractions are truncated as in audiowaveform, also those
 * of the mean of channels, so that 16-bit sources give the same numbers.
 */
export class PeakAccumulator {
  readonly #channels: number;
  readonly #endOf: PeakLayout['endOf'];
  /** Minimum and maximum of each pixel and channel. */
  readonly #peaks: Int16Array<ArrayBuffer>;
  /** Minimum and maximum so far in the current pixel, per output channel. */
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  #pixel = 0;
  #end: number;
  /** samples received, per channel */
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

  /** Call after the last sample. Minimum and maximum alternate per channel, for each pixel in turn. */
  peaks(): Int16Array<ArrayBuffer> {
    if (this.#samples > (this.#pixel === 0 ? 0 : this.#endOf(this.#pixel - 1))) this.#finishPixel();
    return this.#peaks;
  }

  #addToPixel(block: Float32Array, from: number, to: number): void {
    const outputs = this.#least.length;
    // Channels that one output sums: all for the mean, otherwise one.
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
      // NaN in floating-point samples is neither minimum nor maximum.
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
