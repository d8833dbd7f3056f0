import type { LoudnessTarget } from '../../../contract/loudness.ts';
import type { EncoderEffect } from './encoder-effect.ts';
import type { Level } from '../../plan/audio-plan.ts';
import type { Loudness } from './loudness.ts';

/** LU within which a delivered file is to be. */
const promisedLoudness = 0.1;

/** LU. A file this close to its target is within 0.1 by meters that round differently, too. */
const tolerance = 0.055;

/** Limits for repeated encodes of a file: of one that is within 0.1 LU and below its peak, and of any other. */
const mostRefinements = 3;
const mostCorrections = 6;

/** dB. A limiter that reduces the highest peak by no more does not measurably change the loudness. */
const inaudibleLimiting = 0.5;

/** dB by which a ceiling is lowered beyond the overshoot, because another encode has other peaks. */
const correctionMargin = 0.1;

export interface LevelRequest {
  target: LoudnessTarget;
  /** The source with the output's channels. */
  source: Loudness;
  /** The mix to these channels lost nearly all of the source's sound. */
  cancels?: MixedChannels;
  effect: EncoderEffect;
}

/** Numbers of channels before and after a mix. */
export interface MixedChannels {
  from: number;
  to: number;
}

/** Most dB by which a mix lowers peaks if its channels do not cancel. A mix of 7.1 lowers one channel by 18 dB. */
const mostMixLoss = 20;

/** True if a source must be measured with its own channels, to explain a mix that is silent or nearly so. */
export function isMixSuspicious(target: LoudnessTarget, mixed: Loudness): boolean {
  return target.integrated - mixed.integrated > target.maxGain;
}

/** True if a mix has lost nearly all of what its source has. */
export function hasCancelled(mixed: Loudness, unmixed: Loudness): boolean {
  return unmixed.truePeak - mixed.truePeak > mostMixLoss;
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

/** An encode at a level, and what its file measured. */
export interface EncodedTrial {
  level: Level;
  measured: Loudness;
}

const missingOf = ({ target }: LevelRequest, { integrated }: Loudness): number => target.integrated - integrated;
const overOf = ({ target }: LevelRequest, { truePeak }: Loudness): number => truePeak - target.truePeak;

/** True if a file is as documented (docs/reference/audio.md). */
function keepsPromise(request: LevelRequest, measured: Loudness): boolean {
  return Math.abs(missingOf(request, measured)) <= promisedLoudness && overOf(request, measured) <= 0;
}

/**
 * Ceiling in dBTP for the next encode; undefined if the last file is right or the limit of encodes is reached.
 */
export function nextCeiling(request: LevelRequest, trials: readonly EncodedTrial[]): number | undefined {
  const last = trials.at(-1);
  if (last === undefined) return firstCeiling(request);
  const { target, source } = request;
  const { level, measured } = last;
  const over = overOf(request, measured);
  const missing = Number.isFinite(source.integrated) ? missingOf(request, measured) : 0;
  // An encoder that keeps nothing of the sound, such as a tone above its band, does so at any gain.
  if (missing === Infinity) return undefined;
  const isLoudEnough = Math.abs(missing) <= tolerance || (missing > 0 && level.gain >= target.maxGain);
  if (isLoudEnough && over <= 0) return undefined;
  const isKept = trials.some((trial) => keepsPromise(request, trial.measured));
  const corrections = trials.length - 1;
  if (corrections >= (isKept ? mostRefinements : mostCorrections)) return undefined;
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

function explainCancelling({ from, to }: MixedChannels): string {
  const lost = from === 2 ? 'Left and right cancel' : `The ${from} channels of the source are left out or cancel`;
  return `${lost} each other in the mix to ${to === 1 ? 'one channel' : `${to} channels`}, which is silent or nearly so. Keep all channels, or set downmix to left or right to use one of them alone.`;
}

/** dB below the requested peak. If a limited file has more room, its encoder is the reason that it is too quiet. */
const roomUnderLimiter = 1.5;

/** Explains in a sentence why the delivered file misses its target; undefined if it does not. */
export function explainLoudness(
  request: LevelRequest,
  { level, measured }: EncodedTrial,
  trials: readonly EncodedTrial[],
): string | undefined {
  const { target, source, cancels } = request;
  if (cancels !== undefined) return explainCancelling(cancels);
  if (source.truePeak === -Infinity) return 'The source is silent: there is nothing to make louder.';
  if (source.integrated === -Infinity) {
    return 'The source has no loudness that can be measured: it is shorter than 400 ms, or all of it is below -70 LUFS. It was left as loud as it is.';
  }
  const missing = missingOf(request, measured);
  const over = overOf(request, measured);
  if (missing === Infinity)
    return 'The encoder removes so much that the sound left is too quiet to measure: use a higher bitrate.';
  if (level.gain >= target.maxGain && missing > tolerance) {
    const isLimited = target.integrated - source.integrated <= target.maxGain;
    const cause = isLimited
      ? `Under a limiter that keeps its peaks at ${shown(target.truePeak)} dBTP,`
      : `The source is so quiet (${shown(source.integrated)} LUFS) that`;
    return `${cause} ${shown(target.integrated)} LUFS would take more than the ${shown(target.maxGain)} dB that maxGain allows.`;
  }
  if (over > 0)
    return `The true peak is ${shown(over)} dB above the ${shown(target.truePeak)} dBTP that were requested: the encoder raises the peaks at every level.`;
  if (Math.abs(missing) <= promisedLoudness) return undefined;
  const off = `The file is ${shown(Math.abs(missing))} LU ${missing > 0 ? 'quieter' : 'louder'} than requested`;
  return missing > 0 && level.ceiling !== undefined && -over < roomUnderLimiter
    ? `${off}: with its peaks limited to ${shown(target.truePeak)} dBTP it cannot be louder.`
    : `${off}, because its encoder does not follow the gain: ${describeTrials(trials)}.`;
}

function describeTrials(trials: readonly EncodedTrial[]): string {
  const range = (values: readonly number[], unit: string): string =>
    [...new Set([Math.min(...values), Math.max(...values)].map(shown))].join(' to ') + ` ${unit}`;
  const gains = range(
    trials.map(({ level }) => level.gain),
    'dB',
  );
  const found = range(
    trials.map(({ measured }) => measured.integrated),
    'LUFS',
  );
  return `${trials.length} encodes with gains of ${gains} gave ${found}, and this is the nearest`;
}

/** Level of the encoder's input that makes this level audible after encoding. */
export function beforeEncoder({ gain, ceiling }: Level, { loss }: EncoderEffect): Level {
  return { gain: gain + loss, ceiling: ceiling === undefined ? undefined : ceiling + loss };
}
