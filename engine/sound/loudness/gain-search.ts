import type { Loudness } from './loudness.ts';

/** Loudness in LUFS that a gain under a limiter yields. */
export interface GainTrial {
  gain: number;
  integrated: number;
}

export interface GainSearch {
  /** LUFS. */
  wanted: number;
  source: Loudness;
  /** Ceiling of the limiter in dBTP. */
  ceiling: number;
  maxGain: number;
}

export type NextGain = { kind: 'try' | 'done'; gain: number };

/** LU. Trials this close to the target are equally good. */
const closeEnough = 0.03;

/**
 * LU around the target within which the next guess is not tried: after the first trial, which has no other to compare
 * with, and after later ones.
 */
const nearby = { first: 0.15, later: 0.3 };

/** Most sources take two trials. A loud event over quiet speech, which the gate may or may not admit, takes several. */
const mostTrials = 7;

/** dB. Gains closer than this count as equal. */
const smallestStep = 0.01;

/**
 * Change of a file's loudness per decibel of gain; less than one if a limiter works. The limiter's loss grows with the
 * square of its reduction of the highest peak.
 */
function limiterSlope({ source, ceiling }: GainSearch, { gain, integrated }: GainTrial): number {
  const taken = source.integrated + gain - integrated;
  const offPeak = source.truePeak + gain - ceiling;
  return offPeak <= 0 ? 1 : Math.min(1, Math.max(0.3, 1 - (2 * taken) / offPeak));
}

function secantSlope(one: GainTrial, other: GainTrial): number {
  return Math.min(1, Math.max(0.1, (other.integrated - one.integrated) / (other.gain - one.gain)));
}

/**
 * Gain between two neighbouring trials, one too quiet and one too loud, or beyond the outermost one. An encoder may
 * answer more gain with less loudness, so the louder of the two may have less gain. `firstSlope` is the change of
 * loudness per decibel beyond a single trial.
 */
export function guessGain(wanted: number, trials: readonly GainTrial[], firstSlope: number): number {
  const missing = ({ integrated }: GainTrial): number => wanted - integrated;
  const byGain = trials.toSorted((one, other) => one.gain - other.gain);
  const pairs = byGain.slice(1).flatMap((upper, index) => {
    const lower = byGain[index];
    return lower === undefined || missing(lower) > 0 === missing(upper) > 0 ? [] : [{ lower, upper }];
  });
  const offOf = ({ lower, upper }: { lower: GainTrial; upper: GainTrial }): number =>
    Math.min(Math.abs(missing(lower)), Math.abs(missing(upper)));
  const [between] = pairs.toSorted((one, other) => offOf(one) - offOf(other));
  if (between !== undefined) {
    const { lower, upper } = between;
    // After two trials on one side, a line is a bad model of a curve with a jump.
    const [one, other] = trials.slice(-2).map((trial) => missing(trial) > 0);
    const share = trials.length > 2 && one === other ? 0.5 : missing(lower) / (upper.integrated - lower.integrated);
    return lower.gain + share * (upper.gain - lower.gain);
  }
  const [lowest, highest] = [byGain[0], byGain.at(-1)];
  const outermost = lowest !== undefined && missing(lowest) < 0 ? lowest : highest;
  if (outermost === undefined) throw new RangeError('there is no trial to go on from');
  const beside = outermost === lowest ? byGain[1] : byGain.at(-2);
  return outermost.gain + missing(outermost) / (beside === undefined ? firstSlope : secantSlope(outermost, beside));
}

/** Next gain to try under a limiter, or the gain to take. */
export function nextGain(search: GainSearch, trials: readonly GainTrial[]): NextGain {
  const off = ({ integrated }: GainTrial): number => Math.abs(search.wanted - integrated);
  const [best] = trials.toSorted((one, other) => off(one) - off(other));
  if (best === undefined) {
    return { kind: 'try', gain: Math.min(search.maxGain, search.wanted - search.source.integrated) };
  }
  const gain = Math.min(search.maxGain, guessGain(search.wanted, trials, limiterSlope(search, best)));
  if (off(best) <= closeEnough) return { kind: 'done', gain: best.gain };
  if (off(best) <= (trials.length === 1 ? nearby.first : nearby.later)) return { kind: 'done', gain };
  const isKnown = trials.some((trial) => Math.abs(trial.gain - gain) < smallestStep);
  return isKnown || trials.length >= mostTrials ? { kind: 'done', gain: best.gain } : { kind: 'try', gain };
}
