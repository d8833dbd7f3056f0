import type { LoudnessTarget } from '../../../contract/loudness.ts';
import type { EncoderEffect } from './encoder-effect.ts';
import type { Level } from '../../plan/audio-plan.ts';
import type { Loudness } from './loudness.ts';

/** LU; a file within this of its target is within 0.1 by meters that round otherwise, too. */
const tolerance = 0.055;

/** How often a file may be encoded again. */
const mostCorrections = 3;

/** dB: a limiter that takes no more off the highest peak does not change the loudness by what could be measured. */
const inaudibleLimiting = 0.5;

/** dB by which a ceiling is lowered more than the encoder went above it: another run of it has other peaks. */
const correctionMargin = 0.1;

export interface LevelRequest {
  target: LoudnessTarget;
  source: Loudness;
  effect: EncoderEffect;
}

const shown = (decibels: number): string => decibels.toFixed(1);

/** A gain, and a limiter where peaks would be above a ceiling (pure). */
export function withLimiter(gain: number, ceiling: number, source: Loudness): Level {
  return { gain, ceiling: source.truePeak + gain > ceiling ? ceiling : undefined };
}

/** The highest peak that may go into an encoder (pure). */
export function firstCeiling({ target, effect }: LevelRequest): number {
  return target.truePeak - effect.overshoot;
}

/** dB; levels nearer to each other than this make the same file. */
const sameLevel = 0.01;

export function isSameLevel(one: Level, other: Level): boolean {
  const ceilingStep = one.ceiling === other.ceiling ? 0 : (one.ceiling ?? Infinity) - (other.ceiling ?? Infinity);
  return Math.max(Math.abs(one.gain - other.gain), Math.abs(ceilingStep)) < sameLevel;
}

/** Whether a limiter takes enough for its effect to be measured before anything is encoded (pure). */
export function needsPreview({ gain, ceiling }: Level, source: Loudness): boolean {
  return (
    ceiling !== undefined && Number.isFinite(source.integrated) && source.truePeak + gain - ceiling > inaudibleLimiting
  );
}

/** What is known of an output when its file has been measured. */
export interface MeasuredLevel {
  level: Level;
  measured: Loudness;
  /** how often it was encoded again */
  corrections: number;
}

/** The ceiling with which a measured file is encoded again, in dBTP; undefined: it is right, or was encoded often enough (pure). */
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
  // Where no limiter worked, the peaks that went into the encoder were the source's own.
  const highest = Math.min(ceiling, source.truePeak + level.gain);
  return over > 0 ? highest - over - correctionMargin * (corrections + 1) : ceiling;
}

/** Whether one of two files is nearer than the other to what was asked for: no peak above its ceiling, then the loudness (pure). */
export function isNearer({ target }: LevelRequest, one: Loudness, other: Loudness): boolean {
  const over = ({ truePeak }: Loudness): number => Math.max(0, truePeak - target.truePeak);
  if (over(one) !== over(other)) return over(one) < over(other);
  const missing = ({ integrated }: Loudness): number => Math.abs(integrated - target.integrated);
  return missing(one) < missing(other);
}

/** Why a file is not what was asked for, in a sentence; undefined: it is (pure). */
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

/** What an encoder has to be given for a level to be heard (pure). */
export function beforeEncoder({ gain, ceiling }: Level, { loss }: EncoderEffect): Level {
  return { gain: gain + loss, ceiling: ceiling === undefined ? undefined : ceiling + loss };
}
