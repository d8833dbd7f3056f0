import FFT from 'fft.js';

interface SpectrumShape {
  channels: number;
  /** samples per window, a power of two */
  size: number;
}

/**
 * Cuts interleaved samples into windows and reports the power per frequency, as the mean of all channels; a full-scale
 * sine has power 1. Powers are averaged instead of samples, so that inverted channels do not cancel. Two channels are
 * transformed as one complex signal.
 */
export class SpectrumReader {
  /** Samples from the start of one window to the next. A change applies from the next window on. */
  hop: number;
  readonly #channels: number;
  readonly #size: number;
  readonly #onPowers: (powers: Float64Array, centre: number) => void;
  readonly #fft: FFT;
  readonly #taper: Float64Array;
  /** samples of the current window, per channel */
  readonly #windows: Float32Array[];
  readonly #input: Float64Array;
  readonly #output: Float64Array;
  /** Power by frequency, from 0 to half the sample rate. */
  readonly #powers: Float64Array;
  #filled = 0;
  /** samples left to skip if `hop` exceeds the window */
  #skipped = 0;
  /** samples before the current window */
  #from = 0;

  /** `onPowers` receives the powers, which it must not keep, and the sample at the centre of the window. */
  constructor({ channels, size }: SpectrumShape, onPowers: (powers: Float64Array, centre: number) => void) {
    [this.#channels, this.#size, this.#onPowers, this.hop] = [channels, size, onPowers, size];
    this.#fft = new FFT(size);
    // Hann window, scaled by two because its mean is a half: a sine then has the power of its amplitude.
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
    // For a transform of L + iR, |L|² + |R|² is half the sum of the two mirrored frequencies' powers. A sine has half
    // its amplitude at each.
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
