import type { AudioReport } from '../../../../contract/http/report.ts';
import { roundLevel } from '../../../sound/loudness/round-level.ts';
import { powerDb } from './decibels.ts';

/** Peak, RMS and DC offset of each channel. */
export class ChannelLevels {
  readonly #peaks: Float64Array;
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;
  #frames = 0;

  constructor(channels: number) {
    [this.#peaks, this.#sums, this.#squares] = [
      new Float64Array(channels),
      new Float64Array(channels),
      new Float64Array(channels),
    ];
  }

  add(block: Float32Array): void {
    const channels = this.#peaks.length;
    for (let channel = 0; channel < channels; channel += 1) {
      let [peak, sum, squares] = [this.#peaks[channel] ?? 0, 0, 0];
      for (let at = channel; at < block.length; at += channels) {
        const value = block[at] ?? 0;
        const level = Math.abs(value);
        if (level > peak) peak = level;
        sum += value;
        squares += value * value;
      }
      this.#peaks[channel] = peak;
      this.#sums[channel] = (this.#sums[channel] ?? 0) + sum;
      this.#squares[channel] = (this.#squares[channel] ?? 0) + squares;
    }
    this.#frames += block.length / channels;
  }

  result(): AudioReport['levels'] {
    const frames = Math.max(1, this.#frames);
    return Array.from(this.#peaks, (peak, channel) => ({
      peak: roundLevel(powerDb(peak * peak)),
      rms: roundLevel(powerDb((this.#squares[channel] ?? 0) / frames)),
      dcOffset: Math.round(((this.#sums[channel] ?? 0) / frames) * 1e6) / 1e6,
    }));
  }
}
