import { z } from 'zod';

const NumberText = z.coerce.number().optional().catch(undefined);
const Known = z
  .string()
  .transform((name) => (name === 'unknown' ? undefined : name))
  .optional();
const Tags = z.record(z.string(), z.string()).default({});

/** Side data that ffprobe reports for a stream or a picture, all kinds combined. */
export const ProbedSideData = z.object({
  rotation: z.number().optional(),
  /** Three numbered lines of three figures. */
  displaymatrix: z.string().optional(),
  /** A fraction, in cd/m². */
  max_luminance: z.string().optional(),
  /** Unit: cd/m². */
  max_content: z.number().optional(),
  /** Dolby Vision: if 0, other decoders show wrong colours. */
  dv_bl_signal_compatibility_id: z.number().optional(),
});
export type ProbedSideData = z.infer<typeof ProbedSideData>;

const ProbedStream = z.object({
  index: z.number(),
  /** The track's number in MP4, and the packets' PID in MPEG-TS; absent for many formats. */
  id: NumberText,
  codec_type: z.string().default('unknown'),
  codec_name: z.string().default('unknown'),
  sample_fmt: z.string().optional(),
  sample_rate: NumberText,
  channels: z.number().optional(),
  channel_layout: Known,
  bits_per_raw_sample: NumberText,
  bits_per_sample: NumberText,
  bit_rate: NumberText,
  start_time: NumberText,
  duration: NumberText,
  width: z.number().optional(),
  height: z.number().optional(),
  pix_fmt: Known,
  avg_frame_rate: z.string().optional(),
  r_frame_rate: z.string().optional(),
  time_base: z.string().optional(),
  sample_aspect_ratio: z.string().optional(),
  field_order: Known,
  color_range: Known,
  color_space: Known,
  color_transfer: Known,
  color_primaries: Known,
  chroma_location: Known,
  profile: Known,
  level: z.number().optional(),
  has_b_frames: z.number().optional(),
  side_data_list: z.array(ProbedSideData).default([]),
  nb_frames: NumberText,
  nb_read_packets: NumberText,
  disposition: z
    .object({
      attached_pic: z.number().default(0),
      /** The pictures of chapters in MP4, which `attached_pic` marks, too. */
      timed_thumbnails: z.number().default(0),
      default: z.number().default(0),
      forced: z.number().default(0),
      hearing_impaired: z.number().default(0),
    })
    .prefault({}),
  tags: Tags,
});
export type ProbedStream = z.infer<typeof ProbedStream>;

export const ProbeOutput = z.object({
  streams: z.array(ProbedStream).default([]),
  chapters: z.array(z.object({ start_time: z.coerce.number(), end_time: z.coerce.number(), tags: Tags })).default([]),
  format: z.object({
    format_name: z.string(),
    start_time: NumberText,
    duration: NumberText,
    bit_rate: NumberText,
    tags: Tags,
  }),
});

export type Probed = z.infer<typeof ProbeOutput> & {
  /** ffprobe estimated `format.duration` from the bitrate and the file's size. */
  durationIsGuess: boolean;
  /** Indexes of audio streams that the file declares, but of which it has no packet. */
  emptySounds?: ReadonlySet<number>;
};
