import { finiteSamples } from '../finite-samples.ts';
import { SpectrumReader } from '../spectrum-reader.ts';
import type { SamplesShape } from '../samples.ts';

/** Samples per window: shorter windows resolve time better, longer ones frequency. */
const leastWindow = 512;
const mostWindow = 8192;

/** Twice as many samples as rows, so that each row has its own frequencies. */
function windowSize(height: number): number {
  return Math.min(mostWindow, Math.max(leastWindow, 2 ** Math.ceil(Math.log2(height * 2))));
}

/**
 * Mean power per column and row of a picture: columns are times from left to right, rows frequencies from half the
 * sample rate (top) to 0. The hop is small enough that every column has a window and no sample is skipped.
 */
export class SpectrogramAccumulator {
  /** sums per column, then per row from the top */
  readonly #powers: Float32Array;
  readonly #windows: Uint32Array;
  readonly #width: number;
  readonly #height: number;
  readonly #size: number;
  readonly #reader: SpectrumReader;
  /** Silence before the first sample, which centres the first window on that sample. */
  readonly #lead: Float32Array;
  readonly #samples: number;
  #hasBegun = false;

  constructor({ channels, samples }: SamplesShape, { width, height }: { width: number; height: number }) {
    [this.#width, this.#height, this.#samples] = [width, height, Math.max(1, samples)];
    this.#size = windowSize(height);
    this.#powers = new Float32Array(width * height);
    this.#windows = new Uint32Array(width);
    this.#lead = new Float32Array((this.#size / 2) * channels);
    this.#reader = new SpectrumReader({ channels, size: this.#size }, (powers, centre) =>
      this.#addWindow(powers, centre - this.#size / 2),
    );
    this.#reader.hop = Math.max(1, Math.min(this.#size / 2, Math.floor(this.#samples / width)));
  }

  add(block: Float32Array): void {
    if (!this.#hasBegun) this.#reader.add(this.#lead);
    this.#hasBegun = true;
    this.#reader.add(finiteSamples(block));
  }

  /** dB per column, then per row from the top; a full-scale sine is 0, digital silence -Infinity. Call once. */
  levels(): Float32Array {
    // The last windows extend into silence after the end.
    if (this.#hasBegun) this.#reader.add(this.#lead);
    const levels = this.#powers;
    let known = 0;
    for (let column = 0; column < this.#width; column += 1) {
      const windows = this.#windows[column] ?? 0;
      const pixels = levels.subarray(column * this.#height, (column + 1) * this.#height);
      if (windows > 0 || column === 0) {
        known = column;
        for (const [row, power] of pixels.entries()) pixels[row] = 10 * Math.log10(power / Math.max(1, windows));
      } else {
        // With fewer windows than columns, some columns repeat the previous one.
        pixels.set(levels.subarray(known * this.#height, (known + 1) * this.#height));
      }
    }
    return levels;
  }

  #addWindow(powers: Float64Array, centre: number): void {
    const column = Math.floor((centre * this.#width) / this.#samples);
    if (column >= this.#width) return;
    this.#windows[column] = (this.#windows[column] ?? 0) + 1;
    const bins = powers.length - 1;
    for (let row = 0; row < this.#height; row += 1) {
      const from = Math.floor((row * bins) / this.#height);
      const to = Math.max(from + 1, Math.floor(((row + 1) * bins) / this.#height));
      let greatest = 0;
      for (let bin = from; bin < to; bin += 1) greatest = Math.max(greatest, powers[bin] ?? 0);
      const at = (column + 1) * this.#height - 1 - row;
      this.#powers[at] = (this.#powers[at] ?? 0) + greatest;
    }
  }
}
