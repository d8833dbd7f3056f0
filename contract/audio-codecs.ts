/**
 * The audio codecs of the table of formats (`formats.ts`): ffmpeg's names and the options that each codec takes. Imports
 * no library: workflow code bundles this file at run time.
 */

import { ac3Bitrates, type Bitrates, mp2Bitrates, mp3Bitrates, vorbisBitrates } from './audio-bitrates.ts';

export type BitDepth = 16 | 24 | 32;

/** Samples of a lossless output: integers of the given bits, or 32-bit floating point. */
export type SampleKind = BitDepth | 'float';

export interface AudioCodecFacts {
  /** A lossless codec has one encoding for each kind of samples. */
  encoding: Encoding | Partial<Record<SampleKind, Encoding>>;
  maxChannels: number;
  /** Lossless codecs: the bit depth that ffmpeg chooses for a lossy source whose decoder returns more than 16 bits. */
  lossySourceDepth?: BitDepth;
  /** ffmpeg's names of the layouts by channel count; the first one of a count replaces an unknown layout. */
  channelLayouts: readonly string[];
  /** Hz, ascending. Undefined: every rate that the request's schema and `rateRule` allow. */
  sampleRates: readonly number[] | undefined;
  /** Rule for rates that cannot be listed. */
  rateRule?: { allows(sampleRate: number): boolean; text: string };
  /** Hz; preferred over the rate of the source. */
  preferredRate?: number;
  /**
   * Samples per channel in one packet. Required if the length of a file follows from its packets (`measure-output.ts`).
   */
  packetSamples?: number;
  /** Undefined: a lossless codec, which takes no bitrate. */
  bitrates: ((channels: number, sampleRate: number) => Bitrates) | undefined;
  /** Range of `quality` on the encoder's own scale. Undefined: the codec has no such scale. */
  qualities?: { best: number; worst: number };
  /** Default kbit/s by the source's channels. Undefined: the request must set a bitrate. */
  defaultBitrate?: { mono: number; other: number };
  /** dB by which decoded peaks exceed the input's at most, each up to a bitrate per channel. Undefined: none. */
  overshoots?: readonly (readonly [kilobitsPerChannel: number, decibels: number])[];
  /** dB by which the encoder lowers the sound. Undefined: none. */
  loss?: (bitrate: number | undefined) => number;
  /** Samples that a decoder returns beyond the input at most, if the file does not declare them. */
  addedSamples?: number;
  /** Whether ffmpeg 5.1 declares the encoder's delay in Matroska. Undefined: the codec has no delay. */
  delayInMatroska?: 'declared' | 'undeclared';
}

export interface Encoding {
  /** ffmpeg's name */
  encoder: string;
  /** ffprobe's name of the encoded codec */
  probedName: string;
  /** ffmpeg's name; set only if it must be chosen */
  sampleFormat?: string;
}

/** Layouts by channel count. The source's layout is kept if it is listed. */
const anyLayouts = [
  'mono',
  'stereo',
  '3.0|2.1|3.0(back)',
  'quad|4.0|quad(side)|3.1',
  '5.0|5.0(side)|4.1',
  '5.1|5.1(side)|hexagonal|6.0|6.0(front)',
  '6.1|6.1(back)|6.1(front)|7.0|7.0(front)',
  '7.1|7.1(wide)|7.1(wide-side)|octagonal',
] as const;

/** Layouts of Vorbis and Opus (RFC 7845, 5.1.1.2). */
const vorbisLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'] as const;

const dolbyLayouts = [
  'mono',
  'stereo',
  '3.0|2.1|3.0(back)',
  'quad|4.0|quad(side)|3.1',
  '5.0|5.0(side)|4.1',
  '5.1|5.1(side)',
];

/**
 * LAME scales constant bitrates: by 0.95 up to 160 kbit/s, 0.97 at 192 and 0.98 at 224 (lame 3.100, presets.c, `scale`
 * of abr_switch_map).
 */
function lameLoss(bitrate: number | undefined): number {
  if (bitrate === undefined) return 0;
  const scale = bitrate <= 160 ? 0.95 : bitrate <= 192 ? 0.97 : bitrate <= 224 ? 0.98 : 1;
  return -20 * Math.log10(scale);
}

/**
 * Hz. Frame headers of FLAC hold higher rates in tens, in 16 bits (RFC 9639, 9.1.2). ffmpeg 5.1 refuses the largest
 * number of 16 bits.
 */
export const mostFlacRate = 655_340;

// Overshoots are the highest that we measured on music, speech and film.
export const audioCodecs = {
  mp3: {
    encoding: { encoder: 'libmp3lame', probedName: 'mp3' },
    maxChannels: 2,
    channelLayouts: anyLayouts,
    sampleRates: [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    bitrates: mp3Bitrates,
    // LAME's -V
    qualities: { best: 0, worst: 9 },
    defaultBitrate: { mono: 64, other: 128 },
    overshoots: [
      [64, 0.8],
      [96, 0.6],
      [Infinity, 0.4],
    ],
    loss: lameLoss,
    // Samples that LAME and a decoder add together.
    addedSamples: 1105 + 1152,
    delayInMatroska: 'undeclared',
  },
  mp2: {
    encoding: { encoder: 'mp2', probedName: 'mp2' },
    // ISO/IEC 11172-3, 2.4.2.1
    packetSamples: 1152,
    maxChannels: 2,
    channelLayouts: anyLayouts,
    // ffprobe does not recognise a single frame of MPEG-2 at lower rates.
    sampleRates: [32_000, 44_100, 48_000],
    bitrates: mp2Bitrates,
    defaultBitrate: { mono: 128, other: 160 },
    overshoots: [[Infinity, 0.5]],
    // A partly filled packet, and the encoder's delay, by which ffmpeg 5.1 cuts the end short.
    addedSamples: 481 + 1152,
    delayInMatroska: 'undeclared',
  },
  aac: {
    encoding: { encoder: 'aac', probedName: 'aac' },
    // ISO/IEC 14496-3, 4.5.2.1.1
    packetSamples: 1024,
    maxChannels: 8,
    channelLayouts: anyLayouts,
    sampleRates: [7350, 8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000],
    // A frame of 1024 samples holds at most 6144 bits per channel (ISO/IEC 14496-3, 4.5.3.3).
    bitrates: (channels, sampleRate) => ({ min: 8, max: Math.floor((6 * sampleRate * channels) / 1000) }),
    overshoots: [
      [32, 1.2],
      [48, 0.8],
      [Infinity, 0.5],
    ],
    // Sound above 16 kHz and noise, which ffmpeg's encoder drops at usual bitrates.
    loss: () => 0.04,
    // One packet of priming and one partly filled packet.
    addedSamples: 1024 + 1024,
    delayInMatroska: 'undeclared',
  },
  opus: {
    encoding: { encoder: 'libopus', probedName: 'opus' },
    maxChannels: 8,
    channelLayouts: vorbisLayouts,
    sampleRates: [8000, 12_000, 16_000, 24_000, 48_000],
    // Opus decodes to 48 kHz at any input rate.
    preferredRate: 48_000,
    // 6 to 510 kbit/s (RFC 6716, 2.1.1); libopus takes at most 256 per channel.
    bitrates: (channels) => ({ min: 6, max: channels === 1 ? 256 : Math.min(510, 256 * channels) }),
    overshoots: [
      [16, 1.4],
      [32, 1],
      [Infinity, 0.6],
    ],
    delayInMatroska: 'declared',
  },
  vorbis: {
    encoding: { encoder: 'libvorbis', probedName: 'vorbis' },
    maxChannels: 8,
    channelLayouts: vorbisLayouts,
    sampleRates: [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    bitrates: vorbisBitrates,
    // oggenc's -q
    qualities: { best: 10, worst: -1 },
    overshoots: [[Infinity, 0.8]],
  },
  ac3: {
    encoding: { encoder: 'ac3', probedName: 'ac3' },
    // Six blocks of 256 (A/52, 2.2).
    packetSamples: 1536,
    maxChannels: 6,
    channelLayouts: dolbyLayouts,
    sampleRates: [32_000, 44_100, 48_000],
    // Below 16 kbit/s per channel, some frames of music have no room for their exponents, and the encoder fails.
    bitrates: (channels) => ac3Bitrates.filter((rate) => rate >= 16 * channels),
    overshoots: [[Infinity, 0.5]],
    addedSamples: 256 + 1536,
    delayInMatroska: 'undeclared',
  },
  eac3: {
    encoding: { encoder: 'eac3', probedName: 'eac3' },
    // ffmpeg writes six blocks of 256 up to the maximum bitrate below.
    packetSamples: 1536,
    maxChannels: 6,
    channelLayouts: dolbyLayouts,
    sampleRates: [32_000, 44_100, 48_000],
    // A frame holds 2048 words of 16 bits (A/52, annex E). The minimum is that of AC-3.
    bitrates: (channels, sampleRate) => ({
      min: 16 * channels,
      max: Math.floor((2048 * 16 * sampleRate) / 1536 / 1000),
    }),
    overshoots: [[Infinity, 0.5]],
    addedSamples: 256 + 1536,
    delayInMatroska: 'undeclared',
  },
  flac: {
    encoding: {
      16: { encoder: 'flac', probedName: 'flac', sampleFormat: 's16' },
      24: { encoder: 'flac', probedName: 'flac', sampleFormat: 's32' },
    },
    lossySourceDepth: 24,
    maxChannels: 8,
    channelLayouts: anyLayouts,
    sampleRates: undefined,
    // Rates that STREAMINFO and ffmpeg's frame headers can express (RFC 9639, 9.1.2).
    rateRule: {
      allows: (sampleRate) => sampleRate < 65_535 || (sampleRate % 10 === 0 && sampleRate <= mostFlacRate),
      text: 'rates below 65,535 Hz and multiples of 10 Hz up to 655,340 Hz',
    },
    bitrates: undefined,
  },
  alac: {
    encoding: {
      16: { encoder: 'alac', probedName: 'alac', sampleFormat: 's16p' },
      24: { encoder: 'alac', probedName: 'alac', sampleFormat: 's32p' },
    },
    lossySourceDepth: 24,
    // ALACMagicCookieDescription.txt, "frameLength"
    packetSamples: 4096,
    maxChannels: 8,
    channelLayouts: ['mono', 'stereo', '3.0', '4.0', '5.0', '5.1', '6.1(back)', '7.1(wide)'],
    sampleRates: undefined,
    bitrates: undefined,
  },
  pcm: {
    encoding: {
      16: { encoder: 'pcm_s16le', probedName: 'pcm_s16le' },
      24: { encoder: 'pcm_s24le', probedName: 'pcm_s24le' },
      32: { encoder: 'pcm_s32le', probedName: 'pcm_s32le' },
      float: { encoder: 'pcm_f32le', probedName: 'pcm_f32le' },
    },
    lossySourceDepth: 16,
    maxChannels: 8,
    channelLayouts: anyLayouts,
    sampleRates: undefined,
    bitrates: undefined,
  },
} as const satisfies Record<string, AudioCodecFacts>;

export type AudioCodec = keyof typeof audioCodecs;

export function isAudioCodec(name: string): name is AudioCodec {
  return Object.hasOwn(audioCodecs, name);
}

export function audioCodecFacts(codec: AudioCodec): AudioCodecFacts {
  return audioCodecs[codec];
}

/** ffmpeg's encoder and ffprobe's name of its result; `samples` matters for lossless codecs only. */
export function encodingOf(codec: AudioCodec, samples: SampleKind): Encoding {
  const { encoding } = audioCodecFacts(codec);
  if ('encoder' in encoding) return encoding;
  const found = encoding[samples];
  if (found === undefined) throw new RangeError(`${codec} has no samples of ${samples}`);
  return found;
}

/** Kinds of samples that a lossless codec takes; empty for a lossy codec. */
export function sampleKindsOf(codec: AudioCodec): SampleKind[] {
  const { encoding } = audioCodecFacts(codec);
  if ('encoder' in encoding) return [];
  return ([16, 24, 32, 'float'] as const).filter((kind) => encoding[kind] !== undefined);
}

/** ffprobe's names of the encoded codec. */
export function probedNames(codec: AudioCodec): string[] {
  const { encoding } = audioCodecFacts(codec);
  return 'encoder' in encoding ? [encoding.probedName] : Object.values(encoding).map(({ probedName }) => probedName);
}

const heAac =
  'its encoder, libfdk_aac, has a licence under which it may not be part of this ffmpeg, whose own encoder makes AAC-LC; ask for aac, or for opus, which sounds better at few kbit/s';

/** Codecs that people ask for and Holdfast cannot write, with the reason. */
export const unavailableCodecs: ReadonlyMap<string, string> = new Map(
  ['he-aac', 'he-aac-v2', 'heaac', 'heaacv2', 'aac-he', 'aac-he-v2', 'aacplus'].map((name) => [name, heAac]),
);
