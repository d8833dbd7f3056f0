import type { SamplesShape } from '../samples.ts';

/** of a sample at full scale */
const fullScale = 32_768;

/**
 * The least and the greatest sample of every `zoom`, as whole numbers of 16 bits. As in audiowaveform fractions fall away, those of
 * the mean of the channels too, so that sources of 16 bits come to the same numbers.
 */
export class PeakAccumulator {
  readonly #channels: number;
  readonly #zoom: number;
  /** Of each pixel and channel the least and the greatest. */
  readonly #peaks: Int16Array<ArrayBuffer>;
  /** What the pixel has so far, for each channel that goes out. */
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  #taken = 0;
  #place = 0;

  constructor(
    { channels, samples }: Pick<SamplesShape, 'channels' | 'samples'>,
    { zoom, splitChannels }: { zoom: number; splitChannels: boolean },
  ) {
    const outputs = splitChannels ? channels : 1;
    this.#channels = channels;
    this.#zoom = zoom;
    this.#peaks = new Int16Array(Math.ceil(samples / zoom) * outputs * 2);
    this.#least = new Float64Array(outputs).fill(Infinity);
    this.#greatest = new Float64Array(outputs).fill(-Infinity);
  }

  add(block: Float32Array): void {
    const [channels, outputs] = [this.#channels, this.#least.length];
    // What is added up for one output: all channels for the mean, else one.
    const summed = channels / outputs;
    for (let at = 0; at < block.length;) {
      const end = Math.min(block.length, at + (this.#zoom - this.#taken) * channels);
      this.#taken += (end - at) / channels;
      while (at < end) {
        for (let output = 0; output < outputs; output += 1) {
          let value = block[at] ?? 0;
          for (let next = 1; next < summed; next += 1) value += block[at + next] ?? 0;
          at += summed;
          if (value < (this.#least[output] ?? 0)) this.#least[output] = value;
          if (value > (this.#greatest[output] ?? 0)) this.#greatest[output] = value;
        }
      }
      if (this.#taken === this.#zoom) this.#finishPixel();
    }
  }

  /** When all samples are in. The least and the greatest in turn, of the channels in turn. */
  peaks(): Int16Array<ArrayBuffer> {
    if (this.#taken > 0) this.#finishPixel();
    return this.#peaks;
  }

  #finishPixel(): void {
    const summed = this.#channels / this.#least.length;
    for (let output = 0; output < this.#least.length; output += 1) {
      const [least = 0, greatest = 0] = [this.#least[output], this.#greatest[output]];
      // Samples that are no numbers, as floating point may have them, are neither.
      const isThere = least <= greatest;
      this.#peaks[this.#place] = isThere ? toSixteenBits(least / summed) : 0;
      this.#peaks[this.#place + 1] = isThere ? toSixteenBits(greatest / summed) : 0;
      this.#place += 2;
    }
    this.#least.fill(Infinity);
    this.#greatest.fill(-Infinity);
    this.#taken = 0;
  }
}

function toSixteenBits(value: number): number {
  return Math.trunc(Math.max(-fullScale, Math.min(fullScale - 1, value * fullScale)));
}
