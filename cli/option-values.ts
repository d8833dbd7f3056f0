import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { analysisOptionsShape, HexColor, PictureTime } from '../contract/http/analysis.ts';
import { RequestedLoudness } from '../contract/http/loudness.ts';
import { Track } from '../contract/http/audio.ts';
import { FormatName, PresetName } from '../contract/http/output.ts';
import { Metadata } from '../contract/http/tags.ts';
import { SilenceThreshold } from '../contract/http/silence.ts';
import { namedLoudness } from '../contract/loudness.ts';
import { LimiterEnvironment, ProviderKey } from '../contract/provider.ts';
import { isThrottleReason, isThrottleSeconds } from '../contract/limiter.ts';
import { longestProviderWaitSeconds } from '../contract/defaults.ts';

/** `--format mp3_128 --format opus_24` and `--format mp3_128,opus_24` alike. */
export function collectFormats(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => parseFormatName(part.trim()))];
}

export function collectPresets(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => parsePresetName(part.trim()))];
}

/** `--analysis peaks --analysis report` and `--analysis peaks,report` alike. */
export function collectChoices(choices: readonly string[]) {
  return (text: string, before: string[] = []): string[] => {
    const parts = text.split(',').map((part) => part.trim());
    if (parts.every((part) => choices.includes(part))) return [...before, ...parts];
    throw new InvalidArgumentError(`It must be ${choices.join(' or ')}.`);
  };
}

export function parseColor(text: string): string {
  if (HexColor.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must look like #3f4d9b, or #3f4d9b80.');
}

function parsePresetName(text: string): string {
  if (PresetName.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must look like podcast-mp3-stereo; `npm run presets` lists them.');
}

function checkMetadata(name: string, text: string): void {
  const parsed = Metadata.safeParse({ [name]: text });
  if (!parsed.success) throw new InvalidArgumentError(`${name} ${parsed.error.issues[0]?.message}.`);
}

/** The text of the tag of this name. */
export function parseTextOf(name: string) {
  return (text: string): string => {
    checkMetadata(name, text);
    return text;
  };
}

/** `--metadata publisher=Us --metadata "SHOW ID=7"` */
export function collectMetadata(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must look like publisher=Us.');
  checkMetadata(name.trim(), value);
  return { ...before, [name.trim()]: value };
}

export function collectProviders(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => parseProvider(part.trim()))];
}

export function parseProvider(text: string): string {
  if (ProviderKey.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must look like openai/whisper-1.');
}

export function parseThrottle(text: string): number {
  const seconds = parseSeconds(text);
  if (isThrottleSeconds(seconds)) return seconds;
  throw new InvalidArgumentError(`It must be above 0 and at most ${longestProviderWaitSeconds}.`);
}

export function parseReason(text: string): string {
  const reason = text.trim();
  if (isThrottleReason(reason)) return reason;
  throw new InvalidArgumentError('It must be a sentence.');
}

export function parseEnvironmentName(text: string): string {
  const parsed = LimiterEnvironment.safeParse(text);
  if (parsed.success) return text;
  throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
}

export function parseFormatName(text: string): string {
  if (FormatName.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must look like mp3_128, aac_96, opus_24, flac or wav.');
}

/** `podcast`, or LUFS and dBTP: `-16/-1`. */
export function parseLoudness(text: string): RequestedLoudness {
  const [integrated = '', truePeak] = text.split('/');
  const figures = { integrated: Number(integrated || Number.NaN), truePeak: Number(truePeak || Number.NaN) };
  const parsed = RequestedLoudness.safeParse(truePeak === undefined ? text.trim() : figures);
  if (parsed.success) return parsed.data;
  const names = Object.keys(namedLoudness).join(', ');
  throw new InvalidArgumentError(
    `It must be ${names}, none, or LUFS and dBTP such as -16/-1 (-60 to -5, and -18 to 0).`,
  );
}

export function parseWhole(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Of a number that the contract bounds. */
export function parseWholeAs(schema: z.ZodOptional<z.ZodNumber>) {
  const { minValue, maxValue } = schema.unwrap();
  return (text: string): number => {
    if (/^\d{1,10}$/.test(text) && schema.safeParse(Number(text)).success) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${minValue} to ${maxValue}.`);
  };
}

/** Of a number that the contract bounds, whole or not. */
export function parseNumberAs(schema: z.ZodOptional<z.ZodNumber>) {
  const { minValue, maxValue } = schema.unwrap();
  return (text: string): number => {
    if (text.trim() !== '' && schema.safeParse(Number(text)).success) return Number(text);
    throw new InvalidArgumentError(`It must be a number from ${minValue} to ${maxValue}.`);
  };
}

export function collectTexts(text: string, before: string[] = []): string[] {
  return [...before, text];
}

export function parseBits(text: string): number {
  const bits = analysisOptionsShape.bits.safeParse(Number(text));
  if (bits.success && bits.data !== undefined) return bits.data;
  throw new InvalidArgumentError('It must be 8 or 16.');
}

/** Of the picture that a poster is. */
export function parseAt(text: string): PictureTime {
  const at = PictureTime.safeParse(/^[\d.]+$/.test(text) ? Number(text) : text);
  if (at.success) return at.data;
  throw new InvalidArgumentError(
    'It must be auto, seconds from the beginning of the film, or a part of it such as 10%.',
  );
}

export function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It must be a number.');
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds.');
}

/** Of seconds that the contract bounds. */
export function parseSecondsAs({ minValue, maxValue }: z.ZodNumber) {
  return (text: string): number => {
    const seconds = parseSeconds(text);
    if (seconds >= (minValue ?? 0) && seconds <= (maxValue ?? Infinity)) return seconds;
    throw new InvalidArgumentError(`It must be ${minValue} to ${maxValue} seconds.`);
  };
}

export function parseThreshold(text: string): number {
  const threshold = SilenceThreshold.safeParse(text.trim() === '' ? undefined : Number(text));
  if (threshold.success) return threshold.data;
  throw new InvalidArgumentError('It must be -90 to -20 dBFS.');
}

export function parseTrack(text: string): Track {
  const track = Track.safeParse(/^\d+$/.test(text) ? Number(text) : text);
  if (track.success) return track.data;
  throw new InvalidArgumentError('It must be a number from 0, a language such as en or deu, or "default".');
}

/** It names a folder too, so it has no slash. */
export function parseWorkflowId(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be letters, digits, '.', '_' and '-', at most 200 of them.");
}
