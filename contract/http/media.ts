import { z } from 'zod';

const Chapter = z.object({ start: z.number(), end: z.number(), title: z.string().optional() });

/** Names are ffprobe's. What the file does not say is left out. */
const DescribedStream = z.object({
  index: z.number().int(),
  type: z.string(),
  codec: z.string(),
  profile: z.string().optional(),
  /** kbit/s */
  bitrate: z.number().optional(),
  /** The file's own code, such as `deu`. */
  language: z.string().optional(),
  isDefault: z.boolean(),
  /** A picture that is no film. */
  isCover: z.boolean().optional(),
  channels: z.number().int().optional(),
  channelLayout: z.string().optional(),
  /** Hz */
  sampleRate: z.number().int().optional(),
  /** pixels, as they are stored */
  width: z.number().int().optional(),
  height: z.number().int().optional(),
  /** width of a pixel over its height, where it is no square: `4:3` */
  pixelAspect: z.string().optional(),
  /** degrees by which players turn it, clockwise */
  rotation: z.number().optional(),
  pixelFormat: z.string().optional(),
  /** frames a second, as the file claims */
  fps: z.number().optional(),
  /** The file says that pictures are two fields. */
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

/** The pictures of a film as their packets are, whatever its header claims. */
const PictureTiming = z.object({
  frames: z.number().int(),
  /** Time from the first picture to the end of the last. */
  seconds: z.number(),
  isConstant: z.boolean(),
  /** frames a second; of a rate that varies the average */
  fps: z.number(),
  /** seconds between two pictures, where the rate varies */
  shortest: z.number().optional(),
  longest: z.number().optional(),
  keyframes: z.number().int(),
  /** seconds, the most from one key frame to the next */
  longestGroup: z.number(),
});
export type PictureTiming = z.infer<typeof PictureTiming>;

/** What a file is, as `{"analysis": "report"}` tells it (docs/reference/analyses-and-images.md, "Report"). */
export const MediaFacts = z.object({
  /** kbit/s */
  bitrate: z.number().optional(),
  streams: z.array(DescribedStream),
  tags: z.record(z.string(), z.string()),
  chapters: z.array(Chapter),
  /** Timing of the first video stream that is no cover. */
  pictures: PictureTiming.optional(),
});
export type MediaFacts = z.infer<typeof MediaFacts>;
