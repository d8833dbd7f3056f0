import { roundToMilliseconds } from '../../../../contract/milliseconds.ts';
import type { AudioReport } from '../../../../contract/http/report.ts';

/** A fader slightly below 0 may follow a converter that clips: 0.3 dB below full scale still counts. */
const nearFullScale = 10 ** (-0.3 / 20);

/** A steep wave has one or two samples at its top. */
const leastRun = 3;

/** Maximum places in a report. */
const mostPlaces = 100;

interface ClippedSound {
  channels: number;
  /** Hz */
  sampleRate: number;
  /** 8-bit samples, linear or not, repeat values more often. */
  isEightBit?: boolean;
}

/** Current run of samples at one height. */
interface Run {
  length: number;
  start: number;
  /** 1 or -1 */
  sign: number;
  top: number;
  /** rise from the previous sample to the top */
  rise: number;
  /** Last sample of the previous block; NaN before the first. */
  last: number;
}

/**
 * Finds runs of samples at one height near or above full scale. The top of an unclipped low tone is also flat for some
 * samples, but falls off slowly beside them, like a parabola; clipped samples fall off steeply.
 */
export class ClippingFinder {
  readonly #runs: Run[];
  readonly #step: number;
  readonly #sampleRate: number;
  readonly #places: AudioReport['clipping']['places'] = [];
  #frame = 0;
  #count = 0;
  #samples = 0;

  constructor({ channels, sampleRate, isEightBit = false }: ClippedSound) {
    this.#sampleRate = sampleRate;
    // Rounding step of 16 bits; for 8 bits, that of A-law near full scale.
    this.#step = isEightBit ? 1 / 32 : 1.5 / 32_768;
    const run = { length: 0, start: 0, sign: 0, top: 0, rise: Infinity, last: NaN };
    this.#runs = Array.from({ length: channels }, () => ({ ...run }));
  }

  add(block: Float32Array): void {
    const runs = this.#runs;
    const channels = runs.length;
    for (const [channel, run] of runs.entries()) {
      let isRunning = run.length > 0;
      for (let at = channel; at < block.length; at += channels) {
        const value = block[at] ?? 0;
        const isNear = value >= nearFullScale || value <= -nearFullScale;
        if (!isNear && !isRunning) continue;
        if (isRunning && isNear && this.#isSameHeight(run, value)) {
          run.length += 1;
          run.top = Math.max(run.top, Math.abs(value));
          continue;
        }
        if (isRunning) this.#end(channel, run, run.top - value * run.sign);
        isRunning = isNear;
        if (isNear) this.#begin(run, this.#frame + (at - channel) / channels, value, block[at - channels] ?? run.last);
      }
      run.last = block[block.length - channels + channel] ?? run.last;
    }
    this.#frame += block.length / channels;
  }

  result(): AudioReport['clipping'] {
    for (const [channel, run] of this.#runs.entries()) if (run.length > 0) this.#end(channel, run, Infinity);
    const places = this.#places.toSorted((one, other) => one.start - other.start || one.channel - other.channel);
    return { count: this.#count, samples: this.#samples, places };
  }

  #isSameHeight({ sign, top }: Run, value: number): boolean {
    const level = value * sign;
    return level > 0 && (Math.abs(level - top) <= this.#step || (level >= 1 && top >= 1));
  }

  #begin(run: Run, frame: number, value: number, previous: number): void {
    [run.length, run.start, run.sign, run.top] = [1, frame, Math.sign(value), Math.abs(value)];
    // Without a previous sample, the rise does not limit the run.
    run.rise = Number.isNaN(previous) ? Infinity : run.top - previous * run.sign;
  }

  #end(channel: number, run: Run, fall: number): void {
    const { length, start, top, rise } = run;
    run.length = 0;
    if (length < leastRun) return;
    // Largest fall to the next sample of a parabola that is flat within one step over the run.
    const roundFall = this.#step * ((length + 1) / (length - 1)) ** 2;
    if (top <= 1 + this.#step && Math.max(rise, fall) < 2 * roundFall) return;
    this.#count += 1;
    this.#samples += length;
    if (this.#places.length < mostPlaces) {
      this.#places.push({ channel, start: roundToMilliseconds(start / this.#sampleRate), samples: length });
    }
  }
}
