import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { analysisOptionsShape, HexColor, PictureTime } from '../contract/http/analysis.ts';
import { RequestedLoudness } from '../contract/http/loudness.ts';
import { Track } from '../contract/http/audio.ts';
import { FormatName, PresetName } from '../contract/http/output.ts';
import { SubtitleLanguage } from '../contract/http/subtitles.ts';
import { Metadata } from '../contract/http/tags.ts';
import { SilenceThreshold } from '../contract/http/silence.ts';
import { WantedSpeakers } from '../contract/speakers.ts';
import { Vocabulary } from '../contract/vocabulary.ts';
import { SpreadInput } from '../contract/workflow/spread.ts';
import { namedLoudness } from '../contract/loudness.ts';
import { LimiterEnvironment, ProviderKey } from '../contract/provider.ts';
import { isThrottleReason, isThrottleSeconds } from '../contract/limiter.ts';
import { longestProviderWaitSeconds } from '../contract/defaults.ts';
import { addDays, UsageDay } from '../contract/server/usage.ts';

/** Parses an option by a schema of the contract; `sentence` is the error. */
export function parseBy<Schema extends z.ZodType>(
  schema: Schema,
  sentence: string,
  read: (text: string) => unknown = String,
) {
  return (text: string): NonNullable<z.output<Schema>> => {
    const { data } = schema.safeParse(read(text));
    if (data !== undefined && data !== null) return data;
    throw new InvalidArgumentError(sentence);
  };
}

/** Parser of an option that may be repeated or list its values with commas. */
function collectBy<Value>(parse: (text: string) => Value) {
  return (text: string, before: Value[] = []): Value[] => [
    ...before,
    ...text.split(',').map((part) => parse(part.trim())),
  ];
}

export function collectChoices(choices: readonly string[]) {
  return collectBy((text) => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(`It must be ${choices.join(' or ')}.`);
  });
}

const numberOrText = (text: string): unknown => (/^[\d.]+$/.test(text) ? Number(text) : text);
const numberIn = (text: string): unknown => (text.trim() === '' ? undefined : Number(text));

/** `today` and `yesterday` are days in UTC, as all days of runs. */
function dayIn(text: string): string {
  const today = new Date().toISOString().slice(0, 10);
  if (text === 'today') return today;
  return text === 'yesterday' ? addDays(today, -1) : text;
}

export const parseDay = parseBy(UsageDay, 'It must be a day, such as 2026-11-27, yesterday or today.', dayIn);
export const parseColor = parseBy(HexColor, 'It must look like #3f4d9b or #3f4d9b80.');
export const parseFormatName = parseBy(FormatName, 'It must look like mp3_128, aac_96, opus_24, flac or wav.');
const parsePresetName = parseBy(
  PresetName,
  'It must look like podcast-mp3-stereo; `npx holdfast presets` lists all presets.',
);
const spreadShape = SpreadInput.options[1].shape;
export const parseContainers = parseBy(spreadShape.containers, 'It must be a whole number from 2 to 64.', numberIn);
export const parseSegmentSeconds = parseBy(spreadShape.segmentSeconds, 'It must be 20 to 600 seconds.', numberIn);
/** The provider of runs that only encode and cut. */
export const noProvider = 'none';

export const parseProvider = parseBy(ProviderKey, 'It must look like openai/whisper-1.');
export const parseBits = parseBy(analysisOptionsShape.bits, 'It must be 8 or 16.', Number);
export const parseAt = parseBy(
  PictureTime,
  'It must be auto, seconds of the film, or a share of it such as 10%.',
  numberOrText,
);
export const parseThreshold = parseBy(SilenceThreshold, 'It must be -90 to -20 dBFS.', numberIn);
export const parseTrack = parseBy(
  Track,
  'It must be a number from 0, a language such as en or deu, or "default".',
  (text) => (/^\d+$/.test(text) ? Number(text) : text),
);
export const parseSpeakers = parseBy(WantedSpeakers, 'It must be the number of speakers, 1 to 20.', numberIn);
export const parseVocabulary = parseBy(
  Vocabulary,
  'It must be 1 to 100 words, separated by commas, each of at most 60 characters, and of 896 together.',
  (text) => text.split(','),
);
export const collectFormats = collectBy(parseFormatName);
export const collectPresets = collectBy(parsePresetName);
export const parseLanguage = parseBy(
  SubtitleLanguage,
  'It must be the three letters of a language (ISO 639-2), such as eng or deu.',
);
export const collectProviders = collectBy(
  parseBy(ProviderKey.or(z.literal(noProvider)), `It must look like openai/whisper-1, or be ${noProvider}.`),
);

function checkMetadata(name: string, text: string): void {
  const parsed = Metadata.safeParse({ [name]: text });
  if (!parsed.success) throw new InvalidArgumentError(`${name} ${parsed.error.issues[0]?.message}.`);
}

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

export function parseThrottle(text: string): number {
  const seconds = parseSeconds(text);
  if (isThrottleSeconds(seconds)) return seconds;
  throw new InvalidArgumentError(`It must be above 0 and at most ${longestProviderWaitSeconds}.`);
}

export function parseReason(text: string): string {
  const reason = text.trim();
  if (isThrottleReason(reason)) return reason;
  throw new InvalidArgumentError('It must have 1 to 500 characters.');
}

export function parseEnvironmentName(text: string): string {
  const parsed = LimiterEnvironment.safeParse(text);
  if (parsed.success) return text;
  throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
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

/** Parses a whole number within the bounds of the contract. */
export function parseWholeAs(schema: z.ZodOptional<z.ZodNumber>) {
  const { minValue, maxValue } = schema.unwrap();
  return (text: string): number => {
    if (/^\d{1,10}$/.test(text) && schema.safeParse(Number(text)).success) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${minValue} to ${maxValue}.`);
  };
}

/** Parses a number within the bounds of the contract. */
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

/** Parses a number in the schema's range, which is whole if the schema is. */
export function parseBetween(schema: z.ZodNumber) {
  const { minValue, maxValue } = schema;
  return (text: string): number => {
    const number = parseNumber(text);
    if (schema.safeParse(number).success) return number;
    throw new InvalidArgumentError(
      `It must be ${schema.isInt ? 'a whole number from ' : ''}${minValue} to ${maxValue}.`,
    );
  };
}

/** Parses seconds within the bounds of the contract. */
export function parseSecondsAs({ minValue, maxValue }: z.ZodNumber) {
  return (text: string): number => {
    const seconds = parseSeconds(text);
    if (seconds >= (minValue ?? 0) && seconds <= (maxValue ?? Infinity)) return seconds;
    throw new InvalidArgumentError(`It must be ${minValue} to ${maxValue} seconds.`);
  };
}

/** `--settle`. A shorter time than a second could not tell two versions of a file apart. */
export function parseSettle(text: string): number {
  const seconds = parseSeconds(text);
  if (seconds >= 1 && seconds <= 3600) return seconds;
  throw new InvalidArgumentError('It must be 1 to 3600 seconds.');
}

/** The id also names a folder, so it has no slash. */
export function parseWorkflowId(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(text)) return text;
  throw new InvalidArgumentError("It must have at most 200 letters, digits, '.', '_' and '-'.");
}
