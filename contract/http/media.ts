import { z } from 'zod';

const Chapter = z.object({ start: z.number(), end: z.number(), title: z.string().optional() });

/** Names are ffprobe's. Facts that the file does not state are left out. */
const DescribedStream = z.object({
  index: z.number().int(),
  type: z.string(),
  codec: z.string(),
  profile: z.string().optional(),
  /** kbit/s */
  bitrate: z.number().optional(),
  /** Code as written in the file, such as `deu`. */
  language: z.string().optional(),
  isDefault: z.boolean(),
  /** A still picture, not a film. */
  isCover: z.boolean().optional(),
  channels: z.number().int().optional(),
  channelLayout: z.string().optional(),
  /** Hz */
  sampleRate: z.number().int().optional(),
  /** pixels as stored, before rotation */
  width: z.number().int().optional(),
  height: z.number().int().optional(),
  /** aspect ratio of a pixel if it is not square: `4:3` */
  pixelAspect: z.string().optional(),
  /** degrees clockwise by which players rotate it */
  rotation: z.number().optional(),
  pixelFormat: z.string().optional(),
  /** frames per second, as the file claims */
  fps: z.number().optional(),
  /** The file declares interlaced pictures. */
  isInterlaced: z.boolean().optional(),
  color: z
    .object({
      range: z.string().optional(),
      space: z.string().optional(),
      primaries: z.string().optional(),
      transfer: z.string().optional(),
      /** high dynamic range */
      hdr: z.enum(['hdr10', 'hlg']).optional(),
    })
    .optional(),
});
export type DescribedStream = z.infer<typeof DescribedStream>;

/** Timing of pictures, read from their packets instead of the header. */
const PictureTiming = z.object({
  frames: z.number().int(),
  /** Time from the start of the first picture to the end of the last. */
  seconds: z.number(),
  isConstant: z.boolean(),
  /** frames per second; the average of a variable rate */
  fps: z.number(),
  /** shortest seconds between two pictures; set if the rate varies */
  shortest: z.number().optional(),
  longest: z.number().optional(),
  keyframes: z.number().int(),
  /** longest distance between key frames, in seconds */
  longestGroup: z.number(),
});
export type PictureTiming = z.infer<typeof PictureTiming>;

/** Facts about a file in the answer to `{"analysis": "report"}` (docs/reference/analyses-and-images.md, "Report"). */
export const MediaFacts = z.object({
  /** kbit/s */
  bitrate: z.number().optional(),
  streams: z.array(DescribedStream),
  tags: z.record(z.string(), z.string()),
  chapters: z.array(Chapter),
  /** Timing of the first video stream that is not a cover. */
  pictures: PictureTiming.optional(),
});
export type MediaFacts = z.infer<typeof MediaFacts>;
