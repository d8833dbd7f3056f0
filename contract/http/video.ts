import { z } from 'zod';
import { pixelFormats } from '../video-codecs.ts';

/** Pixels per side. `engine/pictures/plan-video.ts` limits the total number of pixels. */
const Side = z.number().int().min(16).max(8192);

/** How a picture of another shape is fitted into width and height. */
export const Fit = z.enum(['contain', 'cover', 'stretch', 'blur']);
export type Fit = z.infer<typeof Fit>;

/** Pixels removed at a side. */
const Cut = z.number().int().min(0).max(8192);

/** Part of the upright picture that is kept and then scaled. */
const Crop = z.strictObject({
  top: Cut.optional(),
  right: Cut.optional(),
  bottom: Cut.optional(),
  left: Cut.optional(),
});
export type Crop = z.infer<typeof Crop>;

/** Pictures of an output; undefined fields follow the codec and the source. */
export const VideoOptions = z.strictObject({
  /** The tables of formats decide which codecs exist and fit the container: `unsupported_format`. */
  codec: z
    .string()
    .regex(/^[a-z0-9]{1,16}$/, { error: 'must be a name such as h264' })
    .optional(),
  width: Side.optional(),
  height: Side.optional(),
  fit: Fit.optional(),
  /** Colour of the area that the picture does not fill. */
  pad: z
    .string()
    .regex(/^(?:black|white|#[0-9a-f]{6})$/i, { error: 'must be black, white or a colour such as #1a2b3c' })
    .optional(),
  crop: Crop.optional(),
  /** Degrees clockwise, added to the rotation of the source. */
  rotate: z.literal([90, 180, 270], { error: 'must be 90, 180 or 270 degrees clockwise' }).optional(),
  /** Frames per second. */
  fps: z.number().min(1).max(120).optional(),
  /** Constant rate factor, on the encoder's own scale. */
  crf: z.number().min(0).max(63).optional(),
  /** average kbit/s by two passes, instead of `crf` */
  bitrate: z.number().int().min(20).max(200_000).optional(),
  /** kbit/s; maximum over any two seconds */
  maxBitrate: z.number().int().min(20).max(200_000).optional(),
  speed: z.enum(['fast', 'medium', 'slow']).optional(),
  /** Exact seconds from one key frame to the next. */
  keyframeInterval: z.number().min(0.1).max(60).optional(),
  pixelFormat: z.enum(pixelFormats).optional(),
  /** Level that decoders must support. */
  level: z
    .string()
    .regex(/^[1-6](?:\.[0-3])?$/, { error: 'must be a level such as "4.1"' })
    .optional(),
  /** Copies packets if the source already meets the other fields. */
  copy: z.boolean().optional(),
  /** `auto` deinterlaces pictures that are measured as interlaced, and reverses telecine. */
  deinterlace: z.union([z.boolean(), z.literal('auto')], { error: 'must be "auto", true or false' }).optional(),
  denoise: z.enum(['light', 'medium', 'strong']).optional(),
  sharpen: z.enum(['light', 'medium', 'strong']).optional(),
  /** `sdr` converts high dynamic range to the colours of ordinary screens. */
  hdr: z.enum(['keep', 'sdr']).optional(),
});
export type VideoOptions = z.infer<typeof VideoOptions>;

/** Whether a stream was copied, or why it was not although the request allowed it. */
export const copyFacts = { copied: z.literal(true).optional(), notCopied: z.string().optional() };

/** Video stream of a finished output. */
export const EncodedVideoStream = z.object({
  kind: z.literal('video'),
  /** ffprobe's name */
  codec: z.string(),
  /** ffprobe's name */
  profile: z.string().optional(),
  /** such as `4.1` */
  level: z.string().optional(),
  /** kbit/s, measured */
  bitrate: z.number(),
  /** pixels */
  width: z.number().int(),
  height: z.number().int(),
  /** Frames per second; the average of a variable rate. */
  fps: z.number(),
  frames: z.number().int(),
  /** Scan that was measured in the source; only for television's sizes and rates. */
  sourceScan: z.enum(['progressive', 'interlaced', 'telecined', 'mixed']).optional(),
  ...copyFacts,
});
export type EncodedVideoStream = z.infer<typeof EncodedVideoStream>;
