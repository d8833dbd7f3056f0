import type { Loudness } from './loudness.ts';

/** What came of a gain under a limiter: LUFS. */
export interface GainTrial {
  gain: number;
  integrated: number;
}

export interface GainSearch {
  /** LUFS */
  wanted: number;
  source: Loudness;
  /** dBTP that the limiter keeps */
  ceiling: number;
  maxGain: number;
}

export type NextGain = { kind: 'try' | 'done'; gain: number };

/** LU; a trial closer than this to what is wanted is as good as another one. */
const closeEnough = 0.03;

/** LU from a trial at which the next guess needs none: after the first, which has nothing beside it, and later. */
const nearby = { first: 0.15, later: 0.3 };

/** Most sources take two. Where a loud event stands over quiet speech, which the gate lets in or not, it takes some. */
const mostTrials = 7;

/** dB; gains closer than this are one. */
const smallestStep = 0.01;

/**
 * How much louder a file becomes by a decibel of gain: less than one where a limiter works. What that takes away grows with the
 * square of what it takes off the highest peak (pure).
 */
function limiterSlope({ source, ceiling }: GainSearch, { gain, integrated }: GainTrial): number {
  const taken = source.integrated + gain - integrated;
  const offPeak = source.truePeak + gain - ceiling;
  return offPeak <= 0 ? 1 : Math.min(1, Math.max(0.3, 1 - (2 * taken) / offPeak));
}

function secantSlope(one: GainTrial, other: GainTrial): number {
  return Math.min(1, Math.max(0.1, (other.integrated - one.integrated) / (other.gain - one.gain)));
}

/** The gain between two trials, one too quiet and the other too loud, or beyond the outermost one. */
function guess(search: GainSearch, trials: readonly GainTrial[]): number {
  const missing = ({ integrated }: GainTrial): number => search.wanted - integrated;
  const byGain = trials.toSorted((one, other) => one.gain - other.gain);
  for (const [index, upper] of byGain.entries()) {
    const lower = byGain[index - 1];
    if (lower === undefined || missing(lower) < 0 || missing(upper) > 0) continue;
    // Twice on one side: a line is a bad guess of a curve with a jump.
    const [one, other] = trials.slice(-2).map((trial) => missing(trial) > 0);
    const share = trials.length > 2 && one === other ? 0.5 : missing(lower) / (upper.integrated - lower.integrated);
    return lower.gain + share * (upper.gain - lower.gain);
  }
  const [lowest, highest] = [byGain[0], byGain.at(-1)];
  const outermost = lowest !== undefined && missing(lowest) < 0 ? lowest : highest;
  if (outermost === undefined) return search.wanted - search.source.integrated;
  const beside = outermost === lowest ? byGain[1] : byGain.at(-2);
  const slope = beside === undefined ? limiterSlope(search, outermost) : secantSlope(outermost, beside);
  return outermost.gain + missing(outermost) / slope;
}

/** The next gain to try under a limiter, or the one to take (pure). */
export function nextGain(search: GainSearch, trials: readonly GainTrial[]): NextGain {
  const off = ({ integrated }: GainTrial): number => Math.abs(search.wanted - integrated);
  const [best] = trials.toSorted((one, other) => off(one) - off(other));
  const gain = Math.min(search.maxGain, guess(search, trials));
  if (best === undefined) return { kind: 'try', gain };
  if (off(best) <= closeEnough) return { kind: 'done', gain: best.gain };
  if (off(best) <= (trials.length === 1 ? nearby.first : nearby.later)) return { kind: 'done', gain };
  const isKnown = trials.some((trial) => Math.abs(trial.gain - gain) < smallestStep);
  return isKnown || trials.length >= mostTrials ? { kind: 'done', gain: best.gain } : { kind: 'try', gain };
}
