/**
 * The audio codecs of the table of formats (`formats.ts`): their names in ffmpeg, and what can be asked of them. No imports:
 * workflow code bundles this file at run time.
 */

/** Bits of a sample of a lossless output. */
export type BitDepth = 16 | 24 | 32;

/** Samples of a lossless output: whole numbers of so many bits, or floating point of 32. */
export type SampleKind = BitDepth | 'float';

/** kbit/s that an encoder takes: a list, or a range with both ends in it. */
export type Bitrates = readonly number[] | { min: number; max: number };

export interface AudioCodecFacts {
  /** Lossless codecs have one for each kind of samples that they take. */
  encoding: Encoding | Partial<Record<SampleKind, Encoding>>;
  maxChannels: number;
  /** Lossless codecs: the bit depth that ffmpeg chooses for a lossy source whose decoder returns more than 16 bits. */
  lossySourceDepth?: BitDepth;
  /** ffmpeg's names of the layouts by channel count; the first one stands for an unknown layout. */
  channelLayouts: readonly string[];
  /** Hz, in rising order. Undefined: every rate that the request's schema and `rateRule` allow. */
  sampleRates: readonly number[] | undefined;
  /** Rule for rates that no list can name. */
  rateRule?: { allows(sampleRate: number): boolean; text: string };
  /** Hz, whatever the source has. */
  preferredRate?: number;
  /** Samples for each channel in one packet. Needed where the length of a file follows from its packets (`measure-output.ts`). */
  packetSamples?: number;
  /** Undefined: lossless, and no bitrate can be asked for. */
  bitrates: ((channels: number, sampleRate: number) => Bitrates) | undefined;
  /** What `quality` may be, on the encoder's own scale. Undefined: it has none. */
  qualities?: { best: number; worst: number };
  /** kbit/s, by the source's channels, where none is asked for; undefined: one has to be. */
  defaultBitrate?: { mono: number; other: number };
  /** dB that decoded peaks rise at most above those that went in, each up to so many kbit/s for each channel. Undefined: none. */
  overshoots?: readonly (readonly [kilobitsPerChannel: number, decibels: number])[];
  /** dB that the encoder turns the sound down. Undefined: none. */
  loss?: (bitrate: number | undefined) => number;
  /** Samples beyond those that went in that a decoder gives out at most, from a file that does not declare them. */
  addedSamples?: number;
  /** Whether ffmpeg 5.1 declares the delay of the encoder in Matroska. Undefined: there is none to declare. */
  delayInMatroska?: 'declared' | 'undeclared';
}

export interface Encoding {
  /** ffmpeg's name */
  encoder: string;
  /** ffprobe's name of the result */
  probedName: string;
  /** ffmpeg's name; only where it must be chosen */
  sampleFormat?: string;
}

/** Layouts by the count of channels. The source's own is kept where it is among them. */
const anyLayouts = [
  'mono',
  'stereo',
  '3.0|2.1|3.0(back)',
  'quad|4.0|quad(side)|3.1',
  '5.0|5.0(side)|4.1',
  '5.1|5.1(side)|hexagonal|6.0|6.0(front)',
  '6.1|6.1(front)|7.0|7.0(front)',
  '7.1|7.1(wide)|octagonal',
] as const;

/** The layouts that Vorbis and Opus have (RFC 7845, 5.1.1.2). */
const vorbisLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'] as const;

/** MPEG-1 layer III rates (ISO/IEC 11172-3, 2.4.2.3) and the lower MPEG-2 ones (ISO/IEC 13818-3), in kbit/s. */
const mpeg1Bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Bitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

function mp3Bitrates(_channels: number, sampleRate: number): Bitrates {
  if (sampleRate >= 32_000) return mpeg1Bitrates;
  return sampleRate < 16_000 ? mpeg2Bitrates.filter((rate) => rate <= 64) : mpeg2Bitrates;
}

/** The least and the most kbit/s for each channel that libvorbis takes, by sample rate in Hz: stereo, whose channels are coupled, and other layouts (its modes/setup_*.h). */
const vorbisKbitPerChannel = [
  { from: 40_000, pair: [22.5, 250], other: [32, 240] },
  { from: 26_000, pair: [18, 190], other: [30, 190] },
  { from: 19_000, pair: [15, 86], other: [16, 90] },
  { from: 15_000, pair: [12, 100], other: [16, 100] },
  { from: 9_000, pair: [8, 50], other: [12, 50] },
  { from: 0, pair: [6, 42], other: [8, 42] },
] as const;

function vorbisBitrates(channels: number, sampleRate: number): Bitrates {
  const { pair, other } = vorbisKbitPerChannel.find(({ from }) => sampleRate >= from) ?? vorbisKbitPerChannel[0];
  const [min, max] = channels === 2 ? pair : other;
  return { min: Math.ceil(min * channels), max: Math.floor(max * channels) };
}

/**
 * MPEG-1 layer II in kbit/s, without the combinations of bitrate and mode that ISO/IEC 11172-3, 2.4.2.3 forbids, and the rates of
 * MPEG-2 at low sample rates (ISO/IEC 13818-3).
 */
const layer2Bitrates = {
  mono: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192],
  stereo: [64, 96, 112, 128, 160, 192, 224, 256, 320, 384],
};

function mp2Bitrates(channels: number, sampleRate: number): Bitrates {
  if (sampleRate < 32_000) return mpeg2Bitrates;
  return channels === 1 ? layer2Bitrates.mono : layer2Bitrates.stereo;
}

/** A/52, table 5.18 */
const ac3Bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];

/**
 * LAME turns constant bitrates down, by 0.95 up to 160 kbit/s, 0.97 at 192 and 0.98 at 224 (lame 3.100, presets.c, `scale` of
 * abr_switch_map).
 */
function lameLoss(bitrate: number | undefined): number {
  if (bitrate === undefined) return 0;
  const scale = bitrate <= 160 ? 0.95 : bitrate <= 192 ? 0.97 : bitrate <= 224 ? 0.98 : 1;
  return -20 * Math.log10(scale);
}

// Each overshoot is the highest that was measured of music, speech and film.
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
    // What LAME and a decoder add together.
    addedSamples: 1105 + 1152,
    delayInMatroska: 'undeclared',
  },
  mp2: {
    encoding: { encoder: 'mp2', probedName: 'mp2' },
    // ISO/IEC 11172-3, 2.4.2.1
    packetSamples: 1152,
    maxChannels: 2,
    channelLayouts: anyLayouts,
    sampleRates: [16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    bitrates: mp2Bitrates,
    defaultBitrate: { mono: 128, other: 160 },
    overshoots: [[Infinity, 0.5]],
    // A packet that is not full, and the encoder's delay, by which ffmpeg 5.1 cuts the end short.
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
    // A frame of 1024 samples holds 6144 bits for each channel at most (ISO/IEC 14496-3, 4.5.3.3).
    bitrates: (channels, sampleRate) => ({ min: 8, max: Math.floor((6 * sampleRate * channels) / 1000) }),
    overshoots: [
      [32, 1.2],
      [48, 0.8],
      [Infinity, 0.5],
    ],
    // Sound above 16 kHz, and noise, which ffmpeg's encoder leaves out at usual bitrates.
    loss: () => 0.04,
    // A packet of priming, and one that is not full.
    addedSamples: 1024 + 1024,
    delayInMatroska: 'undeclared',
  },
  opus: {
    encoding: { encoder: 'libopus', probedName: 'opus' },
    maxChannels: 8,
    channelLayouts: vorbisLayouts,
    sampleRates: [8000, 12_000, 16_000, 24_000, 48_000],
    // Opus plays at 48 kHz whatever went in.
    preferredRate: 48_000,
    // RFC 6716, 2.1.1: 6 to 510 kbit/s; libopus takes 256 for each channel at most.
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
    // A/52, 2.2: six blocks of 256.
    packetSamples: 1536,
    maxChannels: 6,
    channelLayouts: [
      'mono',
      'stereo',
      '3.0|2.1|3.0(back)',
      'quad|4.0|quad(side)|3.1',
      '5.0|5.0(side)|4.1',
      '5.1|5.1(side)',
    ],
    sampleRates: [32_000, 44_100, 48_000],
    // With less than 16 kbit/s a channel some frames of music have no room for their exponents, and the encoder fails.
    bitrates: (channels) => ac3Bitrates.filter((rate) => rate >= 16 * channels),
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
    // What STREAMINFO and the frame headers can say, in ffmpeg's encoder (RFC 9639, 9.1.2).
    rateRule: {
      allows: (sampleRate) => sampleRate < 65_536 || sampleRate % 10 === 0,
      text: 'rates below 65,536 Hz and multiples of 10 Hz',
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

/** ffmpeg's encoder and ffprobe's name of its result, by the samples of a lossless codec. */
export function encodingOf(codec: AudioCodec, samples: SampleKind): Encoding {
  const { encoding } = audioCodecFacts(codec);
  if ('encoder' in encoding) return encoding;
  const found = encoding[samples];
  if (found === undefined) throw new RangeError(`${codec} has no samples of ${samples}`);
  return found;
}

/** The kinds of samples that a lossless codec takes; none of a lossy one. */
export function sampleKindsOf(codec: AudioCodec): SampleKind[] {
  const { encoding } = audioCodecFacts(codec);
  if ('encoder' in encoding) return [];
  return ([16, 24, 32, 'float'] as const).filter((kind) => encoding[kind] !== undefined);
}

const heAac =
  'its encoder, libfdk_aac, has a licence under which it may not be part of this ffmpeg, whose own encoder makes AAC-LC; ask for aac, or for opus, which sounds better at few kbit/s';

/** Names of codecs that people ask for in vain, with the reason. */
export const unavailableCodecs: ReadonlyMap<string, string> = new Map(
  ['he-aac', 'he-aac-v2', 'heaac', 'heaacv2', 'aac-he', 'aac-he-v2', 'aacplus'].map((name) => [name, heAac]),
);
