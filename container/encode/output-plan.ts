import { ServiceError } from '../errors.ts';

export type Codec = 'mp3' | 'aac' | 'opus' | 'flac' | 'wav';

interface CodecFacts {
  /** ffmpeg's muxer */
  muxer: string;
  /** as ffprobe calls it in the output; a WAV's depends on the bits of its samples */
  contentType: string;
  maxChannels: number;
  /** Hz, rising; undefined: any up to the schema's limit */
  sampleRates: readonly number[] | undefined;
}

const codecs: Record<Codec, CodecFacts> = {
  mp3: {
    muxer: 'mp3',
    contentType: 'audio/mpeg',
    maxChannels: 2,
    sampleRates: [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  },
  aac: {
    muxer: 'ipod',
    contentType: 'audio/mp4',
    maxChannels: 8,
    sampleRates: [7350, 8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000],
  },
  opus: { muxer: 'ogg', contentType: 'audio/ogg', maxChannels: 8, sampleRates: [8000, 12_000, 16_000, 24_000, 48_000] },
  flac: { muxer: 'flac', contentType: 'audio/flac', maxChannels: 8, sampleRates: undefined },
  wav: { muxer: 'wav', contentType: 'audio/wav', maxChannels: 8, sampleRates: undefined },
};

/** MPEG-1 layer III rates (ISO/IEC 11172-3, 2.4.2.3) and the lower MPEG-2 ones (ISO/IEC 13818-3), in kbit/s. */
const mpeg1Bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Bitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** kbit/s for `"format": "mp3"` (contract 1.3). */
const defaultMp3Bitrates = { mono: 64, other: 128 };

/** What the caller asked for and the source that it will be made of. */
export interface OutputRequest {
  format: string;
  channels?: number | undefined;
  sampleRate?: number | undefined;
}

export interface SourceShape {
  /** ffprobe's name of the container format */
  formatName: string;
  channels: number;
  sampleRate: number;
  losslessBits: number | undefined;
}

export interface OutputPlan {
  format: string;
  codec: Codec;
  /** kbit/s; undefined for flac and wav */
  bitrate: number | undefined;
  channels: number;
  /** Hz */
  sampleRate: number;
  /** 24 where a lossless output of a source of more than 16 bits would otherwise lose some */
  bits: 16 | 24;
  /** Ogg has its tags on the stream, and most other formats know tags of the file only. */
  tagsAreOnStream?: boolean;
}

function unsupported(format: string, reason: string, details?: Record<string, unknown>): ServiceError {
  return new ServiceError('unsupported_format', `The output ${format} cannot be made: ${reason}.`, {
    details: { format, ...details },
  });
}

/** What the STREAMINFO and frame headers of FLAC can say, in ffmpeg's encoder: RFC 9639, 9.1.2. */
function isFlacRate(sampleRate: number): boolean {
  return sampleRate < 65_536 || sampleRate % 10 === 0;
}

function isCodec(name: string): name is Codec {
  return Object.hasOwn(codecs, name);
}

function parseFormat(format: string): { codec: Codec; bitrate: number | undefined } {
  const [name = '', rate] = format.split('_');
  if (!isCodec(name)) throw unsupported(format, `known formats are ${Object.keys(codecs).join(', ')}`);
  const isLossless = name === 'flac' || name === 'wav';
  if (isLossless && rate !== undefined) throw unsupported(format, `${name} has no bitrate; say "${name}"`);
  if ((name === 'aac' || name === 'opus') && rate === undefined) {
    throw unsupported(format, `${name} needs a bitrate in kbit/s, such as "${name}_64"`);
  }
  return { codec: name, bitrate: rate === undefined ? undefined : Number(rate) };
}

/**
 * Rates in the order in which they suit the source: its own, then the higher ones, which lose nothing, then the lower
 * ones. An encoder's bitrates depend on the rate, so a telephone recording as mp3_128 comes out at 16 kHz.
 */
function suitableSampleRates(rates: readonly number[] | undefined, sourceRate: number): number[] {
  if (rates === undefined) return [sourceRate];
  return [...rates.filter((rate) => rate >= sourceRate), ...rates.filter((rate) => rate < sourceRate).toReversed()];
}

/** kbit/s that the encoder takes, as a list or as a range. */
function bitrateRule(
  codec: Codec,
  channels: number,
  sampleRate: number,
): { allowed(rate: number): boolean; text: string } {
  switch (codec) {
    case 'mp3': {
      const lowest = sampleRate < 16_000 ? mpeg2Bitrates.filter((rate) => rate <= 64) : mpeg2Bitrates;
      const rates = sampleRate >= 32_000 ? mpeg1Bitrates : lowest;
      return { allowed: (rate) => rates.includes(rate), text: rates.join(', ') };
    }
    case 'aac': {
      // A frame of 1024 samples holds 6144 bits for each channel at most (ISO/IEC 14496-3, 4.5.3.3).
      const most = Math.floor((6 * sampleRate * channels) / 1000);
      return { allowed: (rate) => rate >= 8 && rate <= most, text: `8 to ${most}` };
    }
    case 'opus': {
      // RFC 6716, 2.1.1: 6 to 510 kbit/s; libopus takes 256 for each channel at most.
      const most = channels === 1 ? 256 : Math.min(510, 256 * channels);
      return { allowed: (rate) => rate >= 6 && rate <= most, text: `6 to ${most}` };
    }
    case 'flac':
    case 'wav':
      return { allowed: () => true, text: 'any' };
  }
}

/** What can be refused before the source is known: codec names, and what the caller fixed himself. */
export function checkOutputRequest(wish: OutputRequest): void {
  const { codec, bitrate } = parseFormat(wish.format);
  const facts = codecs[codec];
  if (wish.channels !== undefined && wish.channels > facts.maxChannels) {
    throw unsupported(wish.format, `${codec} has at most ${facts.maxChannels} channels`);
  }
  if (wish.sampleRate !== undefined && facts.sampleRates?.includes(wish.sampleRate) === false) {
    throw unsupported(wish.format, `${codec} works at ${facts.sampleRates.join(', ')} Hz`);
  }
  // Without a bitrate it is the source that decides on mp3's.
  const bitrateIsOpen = codec === 'mp3' && bitrate === undefined;
  if (wish.sampleRate !== undefined && !bitrateIsOpen) {
    // With the channels still open, the most generous count decides; planOutput looks again.
    planOutput(wish, {
      formatName: '',
      channels: wish.channels ?? facts.maxChannels,
      sampleRate: wish.sampleRate,
      losslessBits: undefined,
    });
  }
}

function chooseSampleRate(
  wish: OutputRequest,
  codec: Codec,
  channels: number,
  bitrate: number | undefined,
  sourceRate: number,
): number {
  // Opus plays at 48 kHz whatever went in.
  const preferred = wish.sampleRate ?? (codec === 'opus' ? 48_000 : undefined);
  const rates = preferred === undefined ? suitableSampleRates(codecs[codec].sampleRates, sourceRate) : [preferred];
  const [first = sourceRate] = rates;
  if (bitrate === undefined) return first;
  const chosen = rates.find((rate) => bitrateRule(codec, channels, rate).allowed(bitrate));
  if (chosen !== undefined) return chosen;
  const { text } = bitrateRule(codec, channels, first);
  const channelText = `${channels} channel${channels === 1 ? '' : 's'}`;
  throw unsupported(wish.format, `at ${first} Hz and ${channelText} ${codec} takes ${text} kbit/s`, {
    sampleRate: first,
    channels,
  });
}

/** Decides every figure of one output (pure). Throws `unsupported_format` with what would be possible. */
export function planOutput(wish: OutputRequest, source: SourceShape): OutputPlan {
  const { codec, bitrate: wished } = parseFormat(wish.format);
  const facts = codecs[codec];
  const channels = wish.channels ?? Math.min(source.channels, facts.maxChannels);
  const defaultMp3 = source.channels === 1 ? defaultMp3Bitrates.mono : defaultMp3Bitrates.other;
  const bitrate = wished ?? (codec === 'mp3' ? defaultMp3 : undefined);
  const sampleRate = chooseSampleRate(wish, codec, channels, bitrate, source.sampleRate);
  if (codec === 'flac' && !isFlacRate(sampleRate)) {
    throw unsupported(
      wish.format,
      `flac works at rates below 65,536 Hz and at multiples of 10 Hz, not at ${sampleRate} Hz`,
      {
        sampleRate,
      },
    );
  }
  const bits = (source.losslessBits ?? 16) > 16 ? 24 : 16;
  const tagsAreOnStream = source.formatName === 'ogg';
  return { format: wish.format, codec, bitrate, channels, sampleRate, bits, tagsAreOnStream };
}

export function contentTypeOf(codec: Codec): string {
  return codecs[codec].contentType;
}

/** What ffprobe calls the codec of such an output. */
export function probedCodecOf(plan: OutputPlan): string {
  return plan.codec === 'wav' ? `pcm_s${plan.bits}le` : plan.codec;
}

/** Speakers by the count of channels; the source keeps its own where it is among them, and the first stands for an unknown one. */
const channelLayouts = [
  'mono',
  'stereo',
  '3.0|2.1|3.0(back)',
  'quad|4.0|quad(side)|3.1',
  '5.0|5.0(side)|4.1',
  '5.1|5.1(side)|hexagonal|6.0|6.0(front)',
  '6.1|6.1(front)|7.0|7.0(front)',
  '7.1|7.1(wide)|octagonal',
];

/** The only ones that Opus knows (RFC 7845, 5.1.1.2). */
const opusChannelLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'];

function layoutsOf({ codec, channels }: OutputPlan): string {
  return (codec === 'opus' ? opusChannelLayouts : channelLayouts)[channels - 1] ?? 'stereo';
}

function encoderOptions(plan: OutputPlan): string[] {
  const bitrate = plan.bitrate === undefined ? [] : ['-b:a', `${plan.bitrate}k`];
  switch (plan.codec) {
    case 'mp3':
      return ['-c:a', 'libmp3lame', ...bitrate];
    case 'aac':
      return ['-c:a', 'aac', ...bitrate, '-movflags', '+faststart'];
    case 'opus':
      return ['-c:a', 'libopus', ...bitrate];
    case 'flac':
      return ['-c:a', 'flac', '-sample_fmt', plan.bits === 24 ? 's32' : 's16'];
    case 'wav':
      // RF64 only where 4 GiB do not do (EBU Tech 3306).
      return ['-c:a', `pcm_s${plan.bits}le`, '-rf64', 'auto'];
  }
}

/** Fills holes in the time stamps (recordings of calls) with silence; where there are none the samples pass untouched. */
export const gapFilter = 'aresample=async=1';

/** Filters that cut a part out of the samples: of the source's, or of those that go into the encoder. */
export interface Trim {
  source?: string;
  output?: string;
}

/** ffmpeg's arguments for one output (pure), whole or a part of it. */
export function encodeOptions(plan: OutputPlan, trim: Trim = {}): string[] {
  // Small gaps are not filled, and time stamps that still had them would make an m4a longer than its sound. Without any
  // ffmpeg counts samples, which N cannot: it starts anew where joined files change their rate.
  const contiguous = 'asetpts=NAN';
  const filters = [trim.source, gapFilter, `aformat=channel_layouts=${layoutsOf(plan)}`, trim.output, contiguous];
  return [
    ...['-map', '0:a:0', '-map_chapters', '-1'],
    ...(plan.tagsAreOnStream === true ? ['-map_metadata:g', '0:g', '-map_metadata:g', '0:s:a:0'] : []),
    ...['-af', filters.filter((filter) => filter !== undefined).join(',')],
    ...['-ar', String(plan.sampleRate)],
    ...encoderOptions(plan),
    ...['-f', codecs[plan.codec].muxer],
  ];
}
