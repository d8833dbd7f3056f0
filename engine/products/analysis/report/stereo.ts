import { roundToMilliseconds } from '../../../../contract/milliseconds.ts';
import { outOfPhaseCorrelation, type AudioReport } from '../../../../contract/http/report.ts';
import { powerDb } from './decibels.ts';

/** The channels' difference is 40 dB below their sum; two microphones or a stereo mix differ more. */
const monoCorrelation = 0.9998;

/** dB; a channel this far below the other holds only crosstalk and noise. */
const oneSidedDb = 60;

/** dBFS; a quieter channel is silent. */
const leastDb = -90;

/** Maximum seconds listed in a report. */
const mostPlaces = 10;

/** Sums over samples of two channels. */
interface Sums {
  frames: number;
  left: number;
  right: number;
  leftSquares: number;
  rightSquares: number;
  products: number;
}

const noSums: Sums = { frames: 0, left: 0, right: 0, leftSquares: 0, rightSquares: 0, products: 0 };

/** Mean squares without DC, and Pearson's correlation; null if a channel is silent (pure). */
function correlate({ frames, left, right, leftSquares, rightSquares, products }: Sums) {
  const [leftMean, rightMean] = [left / frames, right / frames];
  const leftPower = leftSquares / frames - leftMean ** 2;
  const rightPower = rightSquares / frames - rightMean ** 2;
  const isHeard = powerDb(leftPower) > leastDb && powerDb(rightPower) > leastDb;
  const covariance = products / frames - leftMean * rightMean;
  const correlation = isHeard ? covariance / Math.sqrt(leftPower * rightPower) : null;
  return { left: powerDb(leftPower), right: powerDb(rightPower), correlation };
}

/** Measures the correlation of two channels, overall and per second. */
export class StereoMeter {
  readonly #sampleRate: number;
  readonly #whole = { ...noSums };
  readonly #second = { ...noSums };
  #worst: { start: number; correlation: number }[] = [];
  #outOfPhaseSeconds = 0;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  add(block: Float32Array): void {
    const frames = block.length / 2;
    for (let read = 0; read < frames;) {
      const taken = Math.min(frames - read, this.#sampleRate - this.#second.frames);
      let [left, right, leftSquares, rightSquares, products] = [0, 0, 0, 0, 0];
      for (let at = read * 2; at < (read + taken) * 2; at += 2) {
        const l = block[at] ?? 0;
        const r = block[at + 1] ?? 0;
        left += l;
        right += r;
        leftSquares += l * l;
        rightSquares += r * r;
        products += l * r;
      }
      addTo(this.#second, { frames: taken, left, right, leftSquares, rightSquares, products });
      read += taken;
      if (this.#second.frames === this.#sampleRate) this.#endSecond();
    }
  }

  result(): AudioReport['stereo'] {
    if (this.#second.frames > 0) this.#endSecond();
    const { left, right, correlation } = correlate(this.#whole);
    const rounded = (value: number): number => Math.round(value * 1000) / 1000;
    return {
      kind: kindOf(left, right, correlation),
      correlation: correlation === null ? null : rounded(correlation),
      outOfPhaseSeconds: this.#outOfPhaseSeconds,
      worst: this.#worst
        .toSorted((one, other) => one.start - other.start)
        .map(({ start, correlation: worst }) => ({
          start: roundToMilliseconds(start / this.#sampleRate),
          correlation: rounded(worst),
        })),
    };
  }

  #endSecond(): void {
    const { correlation } = correlate(this.#second);
    if (correlation !== null && correlation < outOfPhaseCorrelation) this.#outOfPhaseSeconds += 1;
    if (correlation !== null && correlation < 0) {
      this.#worst.push({ start: this.#whole.frames, correlation });
      this.#worst = this.#worst.toSorted((one, other) => one.correlation - other.correlation).slice(0, mostPlaces);
    }
    addTo(this.#whole, this.#second);
    Object.assign(this.#second, noSums);
  }
}

function addTo(sums: Sums, more: Sums): void {
  for (const name of Object.keys(noSums) as (keyof Sums)[]) sums[name] += more[name];
}

function kindOf(left: number, right: number, correlation: number | null): NonNullable<AudioReport['stereo']>['kind'] {
  if (left <= leastDb && right <= leastDb) return 'silent';
  if (left <= leastDb || right <= leastDb || Math.abs(left - right) >= oneSidedDb) return 'one_sided';
  if (correlation !== null && correlation >= monoCorrelation) return 'mono';
  return correlation !== null && correlation <= outOfPhaseCorrelation ? 'inverted' : 'stereo';
}
