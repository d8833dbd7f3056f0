import { roundToMilliseconds } from '../../../../contract/milliseconds.ts';
import type { AudioReport } from '../../../../contract/http/report.ts';
import { defaultSilenceThreshold } from '../../../../contract/http/silence.ts';

/** share of full scale */
const threshold = 10 ** (defaultSilenceThreshold / 20);
/** Seconds; a shorter pause is part of speech. */
const shortest = 0.5;
/** Maximum places in a report. */
const mostPlaces = 500;

interface Silence {
  /** samples; `from` is inclusive, `to` exclusive */
  from: number;
  to: number;
}

/** Finds places where no sample of any channel is above the threshold. */
export class SilenceFinder {
  readonly #channels: number;
  readonly #sampleRate: number;
  /** samples */
  readonly #least: number;
  #longest: Silence[] = [];
  #count = 0;
  #samples = 0;
  #frame = 0;
  #silentFrom = 0;

  constructor({ channels, sampleRate }: { channels: number; sampleRate: number }) {
    [this.#channels, this.#sampleRate] = [channels, sampleRate];
    this.#least = Math.ceil(shortest * sampleRate);
  }

  /**
   * Reads only the samples that matter: any silence of the minimum length contains one of the places tested, and a loud
   * sample rules out everything before it.
   */
  add(block: Float32Array): void {
    const first = this.#frame;
    const end = first + block.length / this.#channels;
    const isLoud = (frame: number): boolean => {
      const from = (frame - first) * this.#channels;
      for (let at = from; at < from + this.#channels; at += 1) {
        const value = block[at] ?? 0;
        if (value > threshold || value < -threshold) return true;
      }
      return false;
    };
    // End of the samples from `#silentFrom` on that are known to be silent.
    let known = first;
    while (known < end) {
      if (known - this.#silentFrom >= this.#least) {
        let frame = known;
        while (frame < end && !isLoud(frame)) frame += 1;
        known = frame + 1;
        if (frame === end) break;
        this.#end(frame);
        this.#silentFrom = known;
      } else {
        const probe = Math.min(end, this.#silentFrom + this.#least) - 1;
        let frame = probe;
        while (frame >= known && !isLoud(frame)) frame -= 1;
        if (frame >= known) this.#silentFrom = frame + 1;
        known = probe + 1;
      }
    }
    this.#frame = end;
  }

  result(): AudioReport['silence'] {
    if (this.#frame - this.#silentFrom >= this.#least) this.#end(this.#frame);
    this.#silentFrom = this.#frame;
    const seconds = (samples: number): number => roundToMilliseconds(samples / this.#sampleRate);
    return {
      threshold: defaultSilenceThreshold,
      shortest,
      count: this.#count,
      seconds: seconds(this.#samples),
      places: longestOf(this.#longest)
        .toSorted((one, other) => one.from - other.from)
        .map(({ from, to }) => ({ start: seconds(from), end: seconds(to) })),
    };
  }

  #end(to: number): void {
    const from = this.#silentFrom;
    this.#count += 1;
    this.#samples += to - from;
    this.#longest.push({ from, to });
    if (this.#longest.length > 2 * mostPlaces) this.#longest = longestOf(this.#longest);
  }
}

function longestOf(silences: readonly Silence[]): Silence[] {
  return silences.toSorted((one, other) => other.to - other.from - (one.to - one.from)).slice(0, mostPlaces);
}
