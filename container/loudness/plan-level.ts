import type { LoudnessTarget } from '../../contract/loudness.ts';
import type { EncoderEffect } from './encoder-effect.ts';
import type { Level } from './level-filter.ts';
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

export type NextLevel = { kind: 'again'; level: Level } | { kind: 'done'; note: string | undefined };

const shown = (decibels: number): string => decibels.toFixed(1);

function withLimiter(gain: number, ceiling: number, source: Loudness): Level {
  return { gain, ceiling: source.truePeak + gain > ceiling ? ceiling : undefined };
}

/** What came of a level: LUFS. */
export interface LevelTrial {
  level: Level;
  integrated: number;
}

/**
 * How much louder a file becomes by a decibel of gain: less than one where a limiter works. What that takes away grows with the
 * square of what it takes off the highest peak (pure).
 */
export function limiterSlope(source: Loudness, { level, integrated }: LevelTrial): number {
  if (level.ceiling === undefined) return 1;
  const taken = source.integrated + level.gain - integrated;
  const offPeak = source.truePeak + level.gain - level.ceiling;
  return offPeak <= 0 ? 1 : Math.min(1, Math.max(0.3, 1 - (2 * taken) / offPeak));
}

/** The gain that brings a source to its target, and the ceiling that its encoder's overshoot leaves (pure). */
export function planLevel({ target, source, effect }: LevelRequest): Level {
  const wanted = Number.isFinite(source.integrated) ? target.integrated - source.integrated : 0;
  return withLimiter(Math.min(wanted, target.maxGain), target.truePeak - effect.overshoot, source);
}

/** Whether a limiter takes enough for its effect to be measured before anything is encoded (pure). */
export function needsPreview({ gain, ceiling }: Level, source: Loudness): boolean {
  return (
    ceiling !== undefined && Number.isFinite(source.integrated) && source.truePeak + gain - ceiling > inaudibleLimiting
  );
}

/** The gain that makes up for what a limiter has taken, as measured without an encoder (pure). */
export function correctPreview({ target, source }: LevelRequest, preview: LevelTrial): Level {
  const { level, integrated } = preview;
  if (level.ceiling === undefined) return level;
  const missing = target.integrated - integrated;
  const gain = Math.min(level.gain + missing / limiterSlope(source, preview), target.maxGain);
  return withLimiter(gain, level.ceiling, source);
}

/** What is known of an output when its file has been measured. */
export interface MeasuredLevel {
  level: Level;
  measured: Loudness;
  /** `limiterSlope` of the last preview; 1 where there was none */
  slope: number;
  /** how often it was encoded again */
  corrections: number;
}

/** Whether a measured file is what was asked for, and else the level of the next (pure). */
export function judgeLevel(request: LevelRequest, { level, measured, slope, corrections }: MeasuredLevel): NextLevel {
  const { target, source, effect } = request;
  const over = measured.truePeak - target.truePeak;
  const missing = Number.isFinite(source.integrated) ? target.integrated - measured.integrated : 0;
  const isLoudEnough = Math.abs(missing) <= tolerance || (missing > 0 && level.gain >= target.maxGain);
  if ((isLoudEnough && over <= 0) || corrections >= mostCorrections) {
    return { kind: 'done', note: explain(request, measured) };
  }
  const ceiling = level.ceiling ?? target.truePeak - effect.overshoot;
  // Where no limiter worked, the peaks that went into the encoder were the source's own.
  const highest = Math.min(ceiling, source.truePeak + level.gain);
  const nextCeiling = over > 0 ? highest - over - correctionMargin * (corrections + 1) : ceiling;
  // A lower ceiling takes loudness away as more gain under the old one would.
  const lost = level.ceiling === undefined ? 0 : (1 - slope) * (ceiling - nextCeiling);
  const step = Math.abs(missing + lost) <= tolerance / 2 ? 0 : (missing + lost) / slope;
  return { kind: 'again', level: withLimiter(Math.min(level.gain + step, target.maxGain), nextCeiling, source) };
}

/** Why a file is not what was asked for, in a sentence; undefined: it is. */
function explain({ target, source }: LevelRequest, measured: Loudness): string | undefined {
  if (source.truePeak === -Infinity) return 'The source is silent: there is nothing to make louder.';
  if (source.integrated === -Infinity) {
    return 'The source has no loudness that can be measured: it is shorter than 400 ms, or all of it is below -70 LUFS. It was left as loud as it is.';
  }
  const missing = target.integrated - measured.integrated;
  const over = measured.truePeak - target.truePeak;
  if (target.integrated - source.integrated > target.maxGain && missing > tolerance) {
    return `The source is so quiet (${shown(source.integrated)} LUFS) that ${shown(target.integrated)} LUFS would take more than the ${shown(target.maxGain)} dB that maxGain allows.`;
  }
  if (over > 0)
    return `The true peak is ${shown(over)} dB above the ${shown(target.truePeak)} dBTP that were asked for: the encoder adds to it whatever it is given.`;
  if (Math.abs(missing) > 0.1)
    return `The file is ${shown(Math.abs(missing))} LU ${missing > 0 ? 'quieter' : 'louder'} than was asked for: with its peaks at ${shown(target.truePeak)} dBTP it cannot be brought there.`;
  return undefined;
}

/** What an encoder has to be given for a level to be heard (pure). */
export function beforeEncoder({ gain, ceiling }: Level, { loss }: EncoderEffect): Level {
  return { gain: gain + loss, ceiling: ceiling === undefined ? undefined : ceiling + loss };
}
