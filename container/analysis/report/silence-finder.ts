import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import type { AudioReport } from '../../../contract/http/report.ts';

/** As where an output has its silence cut (`encode/silence.ts`). dBFS */
const thresholdDb = -50;
const threshold = 10 ** (thresholdDb / 20);
/** Seconds; a shorter pause is part of speech. */
const shortest = 0.5;
/** Of how many the place is told. */
const mostPlaces = 500;

interface Silence {
  /** samples: from, and to before */
  from: number;
  to: number;
}

/** Where no sample of any channel is above the threshold. */
export class SilenceFinder {
  readonly #channels: number;
  readonly #sampleRate: number;
  #longest: Silence[] = [];
  #count = 0;
  #samples = 0;
  #frame = 0;
  #silentFrom = 0;

  constructor({ channels, sampleRate }: { channels: number; sampleRate: number }) {
    [this.#channels, this.#sampleRate] = [channels, sampleRate];
  }

  add(block: Float32Array): void {
    const channels = this.#channels;
    const least = shortest * this.#sampleRate;
    let silentFrom = this.#silentFrom;
    for (let at = 0, frame = this.#frame; at < block.length; frame += 1) {
      let isLoud = false;
      for (const end = at + channels; at < end; at += 1) {
        const value = block[at] ?? 0;
        if (value > threshold || value < -threshold) isLoud = true;
      }
      if (!isLoud) continue;
      if (frame - silentFrom >= least) this.#end(silentFrom, frame);
      silentFrom = frame + 1;
    }
    this.#silentFrom = silentFrom;
    this.#frame += block.length / channels;
  }

  result(): AudioReport['silence'] {
    if (this.#frame - this.#silentFrom >= shortest * this.#sampleRate) this.#end(this.#silentFrom, this.#frame);
    this.#silentFrom = this.#frame;
    const seconds = (samples: number): number => roundToMilliseconds(samples / this.#sampleRate);
    return {
      threshold: thresholdDb,
      shortest,
      count: this.#count,
      seconds: seconds(this.#samples),
      places: longestOf(this.#longest)
        .toSorted((one, other) => one.from - other.from)
        .map(({ from, to }) => ({ start: seconds(from), end: seconds(to) })),
    };
  }

  #end(from: number, to: number): void {
    this.#count += 1;
    this.#samples += to - from;
    this.#longest.push({ from, to });
    if (this.#longest.length > 2 * mostPlaces) this.#longest = longestOf(this.#longest);
  }
}

function longestOf(silences: readonly Silence[]): Silence[] {
  return silences.toSorted((one, other) => other.to - other.from - (one.to - one.from)).slice(0, mostPlaces);
}
