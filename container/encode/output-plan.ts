import {
  audioCodecFacts,
  audioCodecs,
  type AudioCodec,
  type Bitrates,
  type BitDepth,
  type ContainerName,
  parseFormat,
} from '../../contract/formats.ts';
import type { RequestedOutput } from '../../contract/http/encode.ts';
import { ServiceError } from '../errors.ts';
import { audioOf, type AudioSource, type Source } from './source.ts';
import type { SourceTime } from '../ffmpeg/gap-filter.ts';

/** What a request says of one output, but for where it goes. */
export type OutputRequest = Omit<RequestedOutput, 'uploadUrl' | 'deliver'>;

/** Every figure of one output. A stream that is not planned is not in the file. */
export interface OutputPlan {
  /** as it was asked for; names the output in answers and errors */
  format: string;
  container: ContainerName;
  audio?: AudioPlan;
  /** Ogg sources have their tags on the stream, and most other formats know tags of the file only. */
  tagsAreOnStream: boolean;
}

export interface AudioPlan {
  codec: AudioCodec;
  /** kbit/s; undefined for lossless codecs */
  bitrate: number | undefined;
  channels: number;
  /** Hz */
  sampleRate: number;
  /** of a lossless output */
  bitDepth: BitDepth;
  sourceTime: SourceTime;
}

type AudioShape = Pick<
  AudioSource,
  'formatName' | 'channels' | 'sampleRate' | 'losslessBits' | 'sampleFormat' | 'leadSeconds'
>;

function unsupported(format: string, reason: string, details?: Record<string, unknown>): ServiceError {
  return new ServiceError('unsupported_format', `The output ${format} cannot be made: ${reason}.`, {
    details: { format, ...details },
  });
}

function parseRequestedFormat(format: string): { codec: AudioCodec; bitrate: number | undefined } {
  const parsed = parseFormat(format);
  if (parsed === undefined) throw unsupported(format, `known formats are ${Object.keys(audioCodecs).join(', ')}`);
  const { codec, bitrate } = parsed;
  const { bitrates, defaultBitrate } = audioCodecFacts(codec);
  if (bitrates === undefined && bitrate !== undefined) {
    throw unsupported(format, `${codec} has no bitrate; say "${codec}"`);
  }
  if (bitrates !== undefined && defaultBitrate === undefined && bitrate === undefined) {
    throw unsupported(format, `${codec} needs a bitrate in kbit/s, such as "${codec}_64"`);
  }
  return parsed;
}

function allows(bitrates: Bitrates, bitrate: number): boolean {
  return 'min' in bitrates ? bitrate >= bitrates.min && bitrate <= bitrates.max : bitrates.includes(bitrate);
}

function describeBitrates(bitrates: Bitrates): string {
  return 'min' in bitrates ? `${bitrates.min} to ${bitrates.max}` : bitrates.join(', ');
}

/**
 * Rates in the order in which they suit the source: its own, then the higher ones, which lose nothing, then the lower
 * ones. An encoder's bitrates depend on the rate, so a telephone recording as mp3_128 comes out at 16 kHz.
 */
function suitableSampleRates(rates: readonly number[] | undefined, sourceRate: number): number[] {
  if (rates === undefined) return [sourceRate];
  return [...rates.filter((rate) => rate >= sourceRate), ...rates.filter((rate) => rate < sourceRate).toReversed()];
}

/** Refuses what can be refused before the source is known: codec names, and what the caller has fixed. */
export function checkOutputRequest(request: OutputRequest): void {
  const { codec, bitrate } = parseRequestedFormat(request.format);
  const facts = audioCodecFacts(codec);
  if (request.channels !== undefined && request.channels > facts.maxChannels) {
    throw unsupported(request.format, `${codec} has at most ${facts.maxChannels} channels`);
  }
  if (request.sampleRate !== undefined && facts.sampleRates?.includes(request.sampleRate) === false) {
    throw unsupported(request.format, `${codec} works at ${facts.sampleRates.join(', ')} Hz`);
  }
  // Without a bitrate the source decides on it.
  const bitrateIsOpen = facts.bitrates !== undefined && bitrate === undefined;
  if (request.sampleRate !== undefined && !bitrateIsOpen) {
    // With the channels still open, the most generous count decides; planOutput looks again.
    planAudio(request, {
      formatName: '',
      channels: request.channels ?? facts.maxChannels,
      sampleRate: request.sampleRate,
      losslessBits: undefined,
      sampleFormat: undefined,
      leadSeconds: 0,
    });
  }
}

function chooseSampleRate(
  request: OutputRequest,
  codec: AudioCodec,
  channels: number,
  bitrate: number | undefined,
  sourceRate: number,
): number {
  const { sampleRates, preferredRate, bitrates } = audioCodecFacts(codec);
  const preferred = request.sampleRate ?? preferredRate;
  const rates = preferred === undefined ? suitableSampleRates(sampleRates, sourceRate) : [preferred];
  const [first = sourceRate] = rates;
  if (bitrate === undefined || bitrates === undefined) return first;
  const chosen = rates.find((rate) => allows(bitrates(channels, rate), bitrate));
  if (chosen !== undefined) return chosen;
  const text = describeBitrates(bitrates(channels, first));
  const channelText = `${channels} channel${channels === 1 ? '' : 's'}`;
  throw unsupported(request.format, `at ${first} Hz and ${channelText} ${codec} takes ${text} kbit/s`, {
    sampleRate: first,
    channels,
  });
}

/** What a lossless output needs to lose nothing; of lossy sources the depth that ffmpeg chooses for the codec. */
function chooseBitDepth(codec: AudioCodec, { losslessBits, sampleFormat }: AudioShape): BitDepth {
  if (losslessBits !== undefined) return losslessBits > 16 ? 24 : 16;
  const decodesTo16Bits = /^(?:u8|s16)p?$/.test(sampleFormat ?? '');
  return decodesTo16Bits ? 16 : (audioCodecFacts(codec).lossySourceDepth ?? 16);
}

function planAudio(request: OutputRequest, source: AudioShape): AudioPlan {
  const { codec, bitrate: requestedBitrate } = parseRequestedFormat(request.format);
  const { maxChannels, defaultBitrate, rateRule } = audioCodecFacts(codec);
  const channels = request.channels ?? Math.min(source.channels, maxChannels);
  const bitrate = requestedBitrate ?? (source.channels === 1 ? defaultBitrate?.mono : defaultBitrate?.other);
  const sampleRate = chooseSampleRate(request, codec, channels, bitrate, source.sampleRate);
  if (rateRule !== undefined && !rateRule.allows(sampleRate)) {
    throw unsupported(request.format, `${codec} works at ${rateRule.text}, not at ${sampleRate} Hz`, { sampleRate });
  }
  return {
    codec,
    bitrate,
    channels,
    sampleRate,
    bitDepth: chooseBitDepth(codec, source),
    sourceTime: { formatName: source.formatName, leadSeconds: source.leadSeconds },
  };
}

/**
 * Decides every figure of one output (pure). Throws `unsupported_format` with what would be possible, and `no_audio` where the
 * source lacks the stream that the output is made of.
 */
export function planOutput(request: OutputRequest, source: Pick<Source, 'formatName' | 'audio'>): OutputPlan {
  const audio = planAudio(request, audioOf(source, `The output ${request.format}`));
  return {
    format: request.format,
    container: audioCodecs[audio.codec].container,
    audio,
    tagsAreOnStream: source.formatName === 'ogg',
  };
}
