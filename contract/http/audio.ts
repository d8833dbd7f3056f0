import { z } from 'zod';

/** Which of them exist, and go together, the tables of formats decide: `unsupported_format`. */
export const TableName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, { error: 'must be a name such as mp3, m4a or opus' });

export const Channels = z.number().int().min(1).max(8);
/** Hz */
export const SampleRate = z.number().int().min(1000).max(384_000);

/** Audio of an output. Codec and source decide what is missing. */
export const AudioOptions = z.strictObject({
  codec: TableName.optional(),
  /** kbit/s */
  bitrate: z.number().int().min(1).max(9999).optional(),
  /** The encoder's own scale of variable bitrates, in place of a bitrate. */
  quality: z.number().min(-10).max(100).optional(),
  channels: Channels.optional(),
  /** Hz */
  sampleRate: SampleRate.optional(),
  /** Bits of a sample of a lossless codec. */
  bitDepth: z.literal([16, 24, 32]).optional(),
  /** Floating point has 32 bits. */
  sampleFormat: z.enum(['integer', 'float']).optional(),
  /** How bits that fall away are made up for, at a depth of 16: ffmpeg's names. */
  dither: z.enum(['none', 'triangular', 'triangular_hp']).optional(),
  /** Copies packets beside pictures if the source already meets the other fields. */
  copy: z.boolean().optional(),
});
export type AudioOptions = z.infer<typeof AudioOptions>;

const trackProblem = 'must be a number from 0, a language such as en or deu, or "default"';

/** One of the source's audio streams: by its place among them, from 0; by its language; or the one that players choose. */
export const Track = z.union(
  [
    z.number().int().min(0, { error: trackProblem }).max(255, { error: 'must be 255 at most' }),
    // Said twice: where one kind alone fits, a union answers with that one's own words.
    z.string().regex(/^(?:default|[a-z]{2,3}(?:-[a-z0-9]{2,8})*)$/i, { error: trackProblem }),
  ],
  { error: trackProblem },
);
export type Track = z.infer<typeof Track>;
