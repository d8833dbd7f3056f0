import FFT from 'fft.js';

interface SpectrumShape {
  channels: number;
  /** samples of a window, a power of two */
  size: number;
}

/**
 * Cuts a stream of interleaved samples into windows and tells the power of each frequency: of a full-scale sine 1, as the mean of all
 * channels. Powers are added and not samples, so that inverted channels do not cancel. Two channels are transformed as one complex signal.
 */
export class SpectrumReader {
  /** Samples from the beginning of a window to that of the next. A change applies from the next window on. */
  hop: number;
  readonly #channels: number;
  readonly #size: number;
  readonly #onPowers: (powers: Float64Array, centre: number) => void;
  readonly #fft: FFT;
  readonly #taper: Float64Array;
  /** each channel's samples of the window that fills */
  readonly #windows: Float32Array[];
  readonly #input: Float64Array;
  readonly #output: Float64Array;
  /** Power by frequency, from 0 to half the sample rate. */
  readonly #powers: Float64Array;
  #filled = 0;
  /** samples that are passed over where `hop` is longer than a window */
  #skipped = 0;
  /** samples before the window that fills */
  #from = 0;

  /** `onPowers` gets the powers, which it must not keep, and the sample in the middle of the window. */
  constructor({ channels, size }: SpectrumShape, onPowers: (powers: Float64Array, centre: number) => void) {
    [this.#channels, this.#size, this.#onPowers, this.hop] = [channels, size, onPowers, size];
    this.#fft = new FFT(size);
    // Hann's window. Its mean of a half is made up for, so that a sine has the power of its amplitude.
    this.#taper = Float64Array.from({ length: size }, (_, index) => 1 - Math.cos((2 * Math.PI * index) / size));
    this.#windows = Array.from({ length: channels }, () => new Float32Array(size));
    this.#input = new Float64Array(2 * size);
    this.#output = new Float64Array(2 * size);
    this.#powers = new Float64Array(size / 2 + 1);
  }

  add(samples: Float32Array): void {
    const channels = this.#channels;
    const frames = samples.length / channels;
    let read = 0;
    while (read < frames) {
      const passed = Math.min(this.#skipped, frames - read);
      read += passed;
      this.#skipped -= passed;
      const taken = Math.min(this.#size - this.#filled, frames - read);
      for (const [channel, window] of this.#windows.entries()) {
        for (let index = 0, from = read * channels + channel; index < taken; index += 1, from += channels) {
          window[this.#filled + index] = samples[from] ?? 0;
        }
      }
      read += taken;
      this.#filled += taken;
      if (this.#filled === this.#size) this.#transform();
    }
  }

  /** Reads the remaining samples as a window that ends in silence. */
  flush(): void {
    if (this.#filled === 0) return;
    for (const window of this.#windows) window.fill(0, this.#filled);
    this.#transform();
  }

  #transform(): void {
    const powers = this.#powers.fill(0);
    for (let channel = 0; channel < this.#channels; channel += 2) this.#addPowers(channel);
    const scale = 4 / (this.#size * this.#size * this.#channels);
    for (let bin = 0; bin < powers.length; bin += 1) powers[bin] = (powers[bin] ?? 0) * scale;
    this.#onPowers(powers, this.#from + this.#size / 2);
    const { hop } = this;
    this.#from += hop;
    for (const window of this.#windows) window.copyWithin(0, hop);
    this.#filled = Math.max(0, this.#size - hop);
    this.#skipped = Math.max(0, hop - this.#size);
  }

  #addPowers(channel: number): void {
    const size = this.#size;
    const [input, output, powers, taper] = [this.#input, this.#output, this.#powers, this.#taper];
    const real = this.#windows[channel] ?? new Float32Array();
    const imaginary = this.#windows[channel + 1];
    for (let index = 0; index < size; index += 1) {
      const factor = taper[index] ?? 0;
      input[2 * index] = (real[index] ?? 0) * factor;
      input[2 * index + 1] = imaginary === undefined ? 0 : (imaginary[index] ?? 0) * factor;
    }
    this.#fft.transform(output, input);
    // |L|² + |R|² of what was transformed as L + iR is half of what its two mirrored frequencies have. There a sine has half its amplitude.
    for (let bin = 0; bin < powers.length; bin += 1) {
      const mirrored = bin === 0 ? 0 : size - bin;
      const re = output[2 * bin] ?? 0;
      const im = output[2 * bin + 1] ?? 0;
      const mirroredRe = output[2 * mirrored] ?? 0;
      const mirroredIm = output[2 * mirrored + 1] ?? 0;
      powers[bin] = (powers[bin] ?? 0) + (re * re + im * im + mirroredRe * mirroredRe + mirroredIm * mirroredIm) / 2;
    }
  }
}
