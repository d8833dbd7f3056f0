import { z } from 'zod';
import { pixelFormats } from '../video-codecs.ts';

/** Pixels of one side. `engine/pictures/plan-video.ts` limits the number of all pixels. */
const Side = z.number().int().min(16).max(8192);

/** How a picture of another shape goes into width and height. */
export const Fit = z.enum(['contain', 'cover', 'stretch', 'blur']);
export type Fit = z.infer<typeof Fit>;

/** Pixels that fall away at a side. */
const Cut = z.number().int().min(0).max(8192);

/** Part of the upright pictures that is kept and then scaled. */
const Crop = z.strictObject({
  top: Cut.optional(),
  right: Cut.optional(),
  bottom: Cut.optional(),
  left: Cut.optional(),
});
export type Crop = z.infer<typeof Crop>;

/** Pictures of an output. Codec and source decide what is missing. */
export const VideoOptions = z.strictObject({
  /** Which of them exist, and go into the container, the tables of formats decide: `unsupported_format`. */
  codec: z
    .string()
    .regex(/^[a-z0-9]{1,16}$/, { error: 'must be a name such as h264' })
    .optional(),
  width: Side.optional(),
  height: Side.optional(),
  fit: Fit.optional(),
  /** Colour that fills the rest of width and height. */
  pad: z
    .string()
    .regex(/^(?:black|white|#[0-9a-f]{6})$/i, { error: 'must be black, white or a colour such as #1a2b3c' })
    .optional(),
  crop: Crop.optional(),
  /** Degrees clockwise, added to the rotation of the source. */
  rotate: z.literal([90, 180, 270], { error: 'must be 90, 180 or 270 degrees clockwise' }).optional(),
  /** Frames a second. */
  fps: z.number().min(1).max(120).optional(),
  /** Constant rate factor: as many bits as the pictures need, on the encoder's own scale. */
  crf: z.number().min(0).max(63).optional(),
  /** kbit/s on average, in place of `crf`, by two passes */
  bitrate: z.number().int().min(20).max(200_000).optional(),
  /** kbit/s; never more than this over two seconds */
  maxBitrate: z.number().int().min(20).max(200_000).optional(),
  speed: z.enum(['fast', 'medium', 'slow']).optional(),
  /** Seconds from one key frame to the next, exactly. */
  keyframeInterval: z.number().min(0.1).max(60).optional(),
  pixelFormat: z.enum(pixelFormats).optional(),
  /** Level of the decoders that must play it. */
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
  /** What becomes of high dynamic range: `sdr` makes it the colours of ordinary screens. */
  hdr: z.enum(['keep', 'sdr']).optional(),
});
export type VideoOptions = z.infer<typeof VideoOptions>;

/** Whether a stream was copied, or why it was not although the request allowed it. */
export const copyFacts = { copied: z.literal(true).optional(), notCopied: z.string().optional() };

/** The pictures of an output, as they came out. */
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
  /** Frames a second; of a variable rate the average. */
  fps: z.number(),
  /** how many there are */
  frames: z.number().int(),
  /** What the pictures of the source were found to be, where these are of television's size and rate. */
  sourceScan: z.enum(['progressive', 'interlaced', 'telecined', 'mixed']).optional(),
  ...copyFacts,
});
export type EncodedVideoStream = z.infer<typeof EncodedVideoStream>;
