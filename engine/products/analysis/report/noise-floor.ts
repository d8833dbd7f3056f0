import { powerDb } from './decibels.ts';

/** Seconds per window, as in `sox stats` for its lowest RMS. */
const windowSeconds = 0.05;

/** Lowest bin of the histogram in dB; anything lower is digital silence. */
const lowestDb = -160;
const highestDb = 20;
const stepDb = 0.1;

/** The single quietest window may be a drop-out, and most windows contain sound. */
const quietShare = 0.05;

/**
 * Level of a recording's background noise: the 5th percentile of the RMS of 50 ms windows, without DC, over all
 * channels. Windows of digital silence are ignored because they were not recorded. Without pauses, it is the level of
 * the quietest sound.
 */
export class NoiseFloorMeter {
  readonly #windowFrames: number;
  readonly #counts = new Uint32Array((highestDb - lowestDb) / stepDb);
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;
  #filled = 0;

  constructor({ channels, sampleRate }: { channels: number; sampleRate: number }) {
    this.#windowFrames = Math.max(1, Math.round(sampleRate * windowSeconds));
    [this.#sums, this.#squares] = [new Float64Array(channels), new Float64Array(channels)];
  }

  add(block: Float32Array): void {
    const channels = this.#sums.length;
    const frames = block.length / channels;
    for (let read = 0; read < frames;) {
      const taken = Math.min(frames - read, this.#windowFrames - this.#filled);
      for (let channel = 0; channel < channels; channel += 1) {
        let [sum, squares] = [0, 0];
        const end = (read + taken) * channels;
        for (let at = read * channels + channel; at < end; at += channels) {
          const value = block[at] ?? 0;
          sum += value;
          squares += value * value;
        }
        this.#sums[channel] = (this.#sums[channel] ?? 0) + sum;
        this.#squares[channel] = (this.#squares[channel] ?? 0) + squares;
      }
      read += taken;
      this.#filled += taken;
      if (this.#filled === this.#windowFrames) this.#endWindow();
    }
  }

  /** dBFS; -Infinity: digital silence throughout. */
  result(): number {
    if (this.#filled > 0) this.#endWindow();
    const windows = this.#counts.reduce((sum, count) => sum + count, 0);
    let below = 0;
    for (const [place, count] of this.#counts.entries()) {
      below += count;
      if (count > 0 && below >= windows * quietShare) return lowestDb + (place + 0.5) * stepDb;
    }
    return -Infinity;
  }

  #endWindow(): void {
    let power = 0;
    for (const [channel, squares] of this.#squares.entries()) {
      const mean = (this.#sums[channel] ?? 0) / this.#filled;
      power += squares / this.#filled - mean * mean;
    }
    const level = powerDb(power / this.#squares.length);
    const place = Math.floor((Math.min(level, highestDb - stepDb) - lowestDb) / stepDb);
    if (place >= 0) this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sums.fill(0);
    this.#squares.fill(0);
    this.#filled = 0;
  }
}
