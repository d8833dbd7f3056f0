import { z } from 'zod';

/** The tables of formats decide which names exist and go together: `unsupported_format`. */
export const TableName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, { error: 'must be a name such as mp3, m4a or opus' });

export const Channels = z.number().int().min(1).max(8);
/** How channels become fewer: mixed, or the left or right channel alone, as if the source had no other. */
export const Downmix = z.enum(['mix', 'left', 'right']);
/** Hz */
export const SampleRate = z.number().int().min(1000).max(384_000);

/** Audio of an output; undefined fields follow the codec and the source. */
export const AudioOptions = z.strictObject({
  codec: TableName.optional(),
  /** kbit/s */
  bitrate: z.number().int().min(1).max(9999).optional(),
  /** The encoder's own scale of variable bitrates; replaces a bitrate. */
  quality: z.number().min(-10).max(100).optional(),
  channels: Channels.optional(),
  downmix: Downmix.optional(),
  /** Hz */
  sampleRate: SampleRate.optional(),
  /** Bits per sample of a lossless codec. */
  bitDepth: z.literal([16, 24, 32]).optional(),
  /** Floating point is always 32 bits. */
  sampleFormat: z.enum(['integer', 'float']).optional(),
  /** ffmpeg's name of the dither at a depth of 16 bits. */
  dither: z.enum(['none', 'triangular', 'triangular_hp']).optional(),
  /** Copies packets beside pictures if the source already meets the other fields. */
  copy: z.boolean().optional(),
});
export type AudioOptions = z.infer<typeof AudioOptions>;

const trackProblem = 'must be a number from 0, a language such as en or deu, or "default"';

/** An audio stream of the source: its index from 0, its language, or the default stream of players. */
export const Track = z.union(
  [
    z.number().int().min(0, { error: trackProblem }).max(255, { error: 'must be 255 at most' }),
    // The error is repeated because a union reports a member's own error if only that member fits.
    z.string().regex(/^(?:default|[a-z]{2,3}(?:-[a-z0-9]{2,8})*)$/i, { error: trackProblem }),
  ],
  { error: trackProblem },
);
export type Track = z.infer<typeof Track>;
