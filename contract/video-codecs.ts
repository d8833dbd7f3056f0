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
  crf: { best: number; worst: number; default: number } | undefined;
  /** Whether the encoder keeps `maxBitrate` by a buffer of two seconds. */
  capsBitrate: boolean;
  /** Whether every picture is a key frame, whatever is asked. */
  isIntraOnly: boolean;
  /** Whether the pictures that come out are those that went in, to the last bit. */
  isLossless: boolean;
  /** The first is taken where none is asked for. */
  pixelFormats: readonly [PixelFormat, ...PixelFormat[]];
  /** Taken instead where the source has more than 8 bits. */
  deepPixelFormat?: PixelFormat;
}

export const videoCodecs = {
  h264: {
    probedName: 'h264',
    // At 0 x264 is lossless, in a profile that no player has.
    crf: { best: 1, worst: 51, default: 22 },
    capsBitrate: true,
    isIntraOnly: false,
    isLossless: false,
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
