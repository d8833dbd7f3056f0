/**
 * The video codecs of the table of formats (`formats.ts`), and the options that each takes. No imports: workflow code
 * bundles this file at run time.
 */

/** ffmpeg's names, in order of preference. */
export const pixelFormats = [
  ...(['yuv420p', 'yuv422p', 'yuv444p'] as const),
  ...(['yuv420p10le', 'yuv422p10le', 'yuv444p10le'] as const),
] as const;
export type PixelFormat = (typeof pixelFormats)[number];

export interface VideoCodecFacts {
  /** ffprobe's name */
  probedName: string;
  /** Constant rate factors, from best quality to smallest file. Undefined: the codec has none. */
  crf: { best: number; worst: number; default: number; isWhole: boolean } | undefined;
  /** Whether the encoder enforces `maxBitrate` with a buffer of two seconds. */
  capsBitrate: boolean;
  /**
   * Whether the encoder meets an average bitrate in two passes. SVT-AV1 1.4 in ffmpeg cannot, and its single pass is
   * not deterministic.
   */
  hasTwoPasses?: true;
  /** Whether the encoder takes a rate for each range of pictures, as a target per scene needs. */
  hasZones?: true;
  /** Whether every picture is a key frame, whatever the request sets. */
  isIntraOnly: boolean;
  /** Whether decoding returns the input bit for bit. */
  isLossless: boolean;
  /** Formats that it takes. By default a lossless codec keeps the source's, and every other codec uses the first. */
  pixelFormats: readonly [PixelFormat, ...PixelFormat[]];
  /** Default for sources with more than 8 bits. */
  deepPixelFormat?: PixelFormat;
  /** Pixel formats that ffprobe reports under another name. */
  readPixelFormats?: Readonly<Record<string, string>>;
  /** Pixels of the smallest picture that the encoder handles correctly. */
  leastSize?: { width: number; height: number };
  /** Code in MP4 and QuickTime files, if it differs from ffmpeg's default. */
  fourCharacterCode?: string;
}

export const videoCodecs = {
  h264: {
    probedName: 'h264',
    // crf 0 makes x264 lossless, in a profile that no player supports.
    crf: { best: 1, worst: 51, default: 22, isWhole: false },
    capsBitrate: true,
    hasTwoPasses: true,
    hasZones: true,
    isIntraOnly: false,
    isLossless: false,
    pixelFormats,
  },
  hevc: {
    probedName: 'hevc',
    crf: { best: 1, worst: 51, default: 25, isWhole: false },
    capsBitrate: true,
    hasTwoPasses: true,
    hasZones: true,
    isIntraOnly: false,
    isLossless: false,
    pixelFormats,
    deepPixelFormat: 'yuv420p10le',
    // x265 3.5 predicts motion from beyond the edge of pictures of 16, 32 and 64 pixels, and decoders then produce
    // other pictures than the encoder intended.
    leastSize: { width: 66, height: 16 },
    // Apple's players accept no other code.
    fourCharacterCode: 'hvc1',
  },
  av1: {
    probedName: 'av1',
    // ffmpeg treats 0 as unset.
    crf: { best: 1, worst: 63, default: 34, isWhole: true },
    capsBitrate: false,
    isIntraOnly: false,
    isLossless: false,
    pixelFormats: ['yuv420p', 'yuv420p10le'],
    deepPixelFormat: 'yuv420p10le',
    leastSize: { width: 64, height: 64 },
  },
  // More than 8 bits only on request: not every browser plays them in this codec.
  vp9: {
    probedName: 'vp9',
    crf: { best: 1, worst: 63, default: 33, isWhole: true },
    capsBitrate: false,
    hasTwoPasses: true,
    isIntraOnly: false,
    isLossless: false,
    pixelFormats,
  },
  prores: {
    probedName: 'prores',
    crf: undefined,
    capsBitrate: false,
    isIntraOnly: true,
    isLossless: false,
    pixelFormats: ['yuv422p10le', 'yuv444p10le'],
    // 4444 has up to 12 bits, of which an encoder may leave two empty.
    readPixelFormats: { yuv444p10le: 'yuv444p12le' },
  },
  ffv1: {
    probedName: 'ffv1',
    crf: undefined,
    capsBitrate: false,
    isIntraOnly: true,
    isLossless: true,
    pixelFormats,
  },
} as const satisfies Record<string, VideoCodecFacts>;

export type VideoCodec = keyof typeof videoCodecs;

export function isVideoCodec(name: string): name is VideoCodec {
  return Object.hasOwn(videoCodecs, name);
}

export function videoCodecFacts(codec: VideoCodec): VideoCodecFacts {
  return videoCodecs[codec];
}
