/**
 * The video codecs of the table of formats (`formats.ts`), and what can be asked of them. No imports: workflow code bundles this
 * file at run time.
 */

/** ffmpeg's names, in the order in which an output prefers them. */
export const pixelFormats = [
  ...(['yuv420p', 'yuv422p', 'yuv444p'] as const),
  ...(['yuv420p10le', 'yuv422p10le', 'yuv444p10le'] as const),
] as const;
export type PixelFormat = (typeof pixelFormats)[number];

export interface VideoCodecFacts {
  /** ffprobe's name */
  probedName: string;
  /** Constant rate factors, from the best picture to the smallest file. Undefined: it has no such choice. */
  crf: { best: number; worst: number; default: number; isWhole: boolean } | undefined;
  /** Whether the encoder keeps `maxBitrate` by a buffer of two seconds. */
  capsBitrate: boolean;
  /** Whether its encoder meets an average bitrate by looking at all pictures first. SVT-AV1 1.4 does not in ffmpeg, and by one pass makes another file each time. */
  hasTwoPasses?: true;
  /** Whether every picture is a key frame, whatever is asked. */
  isIntraOnly: boolean;
  /** Whether the pictures that come out are those that went in, to the last bit. */
  isLossless: boolean;
  /** Where none is asked for, a lossless codec takes the source's own, and else the first is taken. */
  pixelFormats: readonly [PixelFormat, ...PixelFormat[]];
  /** Taken instead where the source has more than 8 bits. */
  deepPixelFormat?: PixelFormat;
  /** ffprobe's names of pixel formats that it reports differently. */
  readPixelFormats?: Readonly<Record<string, string>>;
  /** Pixels of the smallest picture that its encoder makes rightly. */
  leastSize?: { width: number; height: number };
  /** What files of ISO's and Apple's kind call it, where that is not ffmpeg's choice. */
  fourCharacterCode?: string;
}

export const videoCodecs = {
  h264: {
    probedName: 'h264',
    // At 0 x264 is lossless, in a profile that no player has.
    crf: { best: 1, worst: 51, default: 22, isWhole: false },
    capsBitrate: true,
    hasTwoPasses: true,
    isIntraOnly: false,
    isLossless: false,
    pixelFormats,
  },
  hevc: {
    probedName: 'hevc',
    crf: { best: 1, worst: 51, default: 25, isWhole: false },
    capsBitrate: true,
    hasTwoPasses: true,
    isIntraOnly: false,
    isLossless: false,
    pixelFormats,
    deepPixelFormat: 'yuv420p10le',
    // x265 3.5 takes motion from beyond the edge of pictures of 16, 32 and 64 pixels: of some the decoder makes another picture than it meant.
    leastSize: { width: 66, height: 16 },
    // Apple's players take no other.
    fourCharacterCode: 'hvc1',
  },
  av1: {
    probedName: 'av1',
    // ffmpeg takes a 0 for none given.
    crf: { best: 1, worst: 63, default: 34, isWhole: true },
    capsBitrate: false,
    isIntraOnly: false,
    isLossless: false,
    pixelFormats: ['yuv420p', 'yuv420p10le'],
    deepPixelFormat: 'yuv420p10le',
    leastSize: { width: 64, height: 64 },
  },
  // More than 8 bits only where they are asked for: not every browser plays them in this codec.
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
