import type { LoudnessTarget } from '../../../contract/loudness.ts';
import type { EncoderEffect } from './encoder-effect.ts';
import type { Level } from '../../plan/audio-plan.ts';
import type { Loudness } from './loudness.ts';

/** LU. A file this close to its target is within 0.1 by meters that round differently, too. */
const tolerance = 0.055;

/** Limit for repeated encodes of a file. */
const mostCorrections = 3;

/** dB. A limiter that reduces the highest peak by no more does not measurably change the loudness. */
const inaudibleLimiting = 0.5;

/** dB by which a ceiling is lowered beyond the overshoot, because another encode has other peaks. */
const correctionMargin = 0.1;

export interface LevelRequest {
  target: LoudnessTarget;
  source: Loudness;
  effect: EncoderEffect;
}

const shown = (decibels: number): string => decibels.toFixed(1);

/** A gain, with a limiter if peaks would exceed the ceiling. */
export function withLimiter(gain: number, ceiling: number, source: Loudness): Level {
  return { gain, ceiling: source.truePeak + gain > ceiling ? ceiling : undefined };
}

/** Highest peak that may enter the encoder. */
export function firstCeiling({ target, effect }: LevelRequest): number {
  return target.truePeak - effect.overshoot;
}

/** dB. Levels closer than this yield the same file. */
const sameLevel = 0.01;

export function isSameLevel(one: Level, other: Level): boolean {
  const ceilingStep = one.ceiling === other.ceiling ? 0 : (one.ceiling ?? Infinity) - (other.ceiling ?? Infinity);
  return Math.max(Math.abs(one.gain - other.gain), Math.abs(ceilingStep)) < sameLevel;
}

/** True if a limiter works enough that its effect must be measured before encoding. */
export function needsPreview({ gain, ceiling }: Level, source: Loudness): boolean {
  return (
    ceiling !== undefined && Number.isFinite(source.integrated) && source.truePeak + gain - ceiling > inaudibleLimiting
  );
}

/** State of an output whose file has been measured. */
export interface MeasuredLevel {
  level: Level;
  measured: Loudness;
  /** Number of repeated encodes. */
  corrections: number;
}

/**
 * Ceiling in dBTP for the next encode of a measured file; undefined if the file is right or the limit of encodes is
 * reached.
 */
export function nextCeiling(
  request: LevelRequest,
  { level, measured, corrections }: MeasuredLevel,
): number | undefined {
  const { target, source } = request;
  const over = measured.truePeak - target.truePeak;
  const missing = Number.isFinite(source.integrated) ? target.integrated - measured.integrated : 0;
  const isLoudEnough = Math.abs(missing) <= tolerance || (missing > 0 && level.gain >= target.maxGain);
  if ((isLoudEnough && over <= 0) || corrections >= mostCorrections) return undefined;
  const ceiling = level.ceiling ?? firstCeiling(request);
  // If no limiter worked, the encoder received the source's own peaks.
  const highest = Math.min(ceiling, source.truePeak + level.gain);
  return over > 0 ? highest - over - correctionMargin * (corrections + 1) : ceiling;
}

/** True if `one` is nearer to the request than `other`: first no peak above the ceiling, then the loudness. */
export function isNearer({ target }: LevelRequest, one: Loudness, other: Loudness): boolean {
  const over = ({ truePeak }: Loudness): number => Math.max(0, truePeak - target.truePeak);
  if (over(one) !== over(other)) return over(one) < over(other);
  const missing = ({ integrated }: Loudness): number => Math.abs(integrated - target.integrated);
  return missing(one) < missing(other);
}

/** Explains in a sentence why a file misses its target; undefined if it does not. */
export function explainLoudness(
  { target, source }: LevelRequest,
  { gain }: Level,
  measured: Loudness,
): string | undefined {
  if (source.truePeak === -Infinity) return 'The source is silent: there is nothing to make louder.';
  if (source.integrated === -Infinity) {
    return 'The source has no loudness that can be measured: it is shorter than 400 ms, or all of it is below -70 LUFS. It was left as loud as it is.';
  }
  const missing = target.integrated - measured.integrated;
  const over = measured.truePeak - target.truePeak;
  if (gain >= target.maxGain && missing > tolerance) {
    const isLimited = target.integrated - source.integrated <= target.maxGain;
    const cause = isLimited
      ? `Under a limiter that keeps its peaks at ${shown(target.truePeak)} dBTP,`
      : `The source is so quiet (${shown(source.integrated)} LUFS) that`;
    return `${cause} ${shown(target.integrated)} LUFS would take more than the ${shown(target.maxGain)} dB that maxGain allows.`;
  }
  if (over > 0)
    return `The true peak is ${shown(over)} dB above the ${shown(target.truePeak)} dBTP that were asked for: the encoder adds to it whatever it is given.`;
  if (missing > 0.1)
    return `The file is ${shown(missing)} LU quieter than was asked for: with its peaks at ${shown(target.truePeak)} dBTP it cannot be brought there.`;
  if (missing < -0.1)
    return `The file is ${shown(-missing)} LU louder than was asked for: what its encoder does to the loudness could not be made up for in ${mostCorrections} corrections.`;
  return undefined;
}

/** Level of the encoder's input that makes this level audible after encoding. */
export function beforeEncoder({ gain, ceiling }: Level, { loss }: EncoderEffect): Level {
  return { gain: gain + loss, ceiling: ceiling === undefined ? undefined : ceiling + loss };
}
