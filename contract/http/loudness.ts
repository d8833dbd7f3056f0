import { z } from 'zod';
import { type LoudnessName, namedLoudness } from '../loudness.ts';

/** No programme is louder than -5 LUFS. ffmpeg's limiter goes down to -24 dB, and codecs need part of that range. */
export const RequestedLoudness = z.union(
  [
    z.enum(['none', ...(Object.keys(namedLoudness) as LoudnessName[])]),
    z.strictObject({
      integrated: z.number().min(-60).max(-5),
      truePeak: z.number().min(-18).max(0),
      maxGain: z.number().min(0).max(60).optional(),
    }),
  ],
  {
    error: `must be none, ${Object.keys(namedLoudness).join(', ')}, or {"integrated": -60 to -5 LUFS, "truePeak": -18 to 0 dBTP, "maxGain": 0 to 60 dB}`,
  },
);
export type RequestedLoudness = z.infer<typeof RequestedLoudness>;

const measured = {
  /** LUFS; null for silence or less than 400 ms */
  integrated: z.number().nullable(),
  /** dBTP; null: silence */
  truePeak: z.number().nullable(),
  /** LU (EBU Tech 3342) */
  range: z.number(),
};

/** Measured loudness of an output's decoded file. */
export const LoudnessFacts = z.object({
  ...measured,
  /** dB, constant over the whole file */
  gain: z.number(),
  /** The source, mixed to the output's channels. */
  source: z.object(measured),
  /** Momentary loudness of the file. Optional: containers of older versions omit it. */
  curve: z
    .object({
      /** seconds from one point to the next */
      interval: z.number(),
      /** LUFS of the loudest 400 ms that end in the interval; null: no sound */
      momentary: z.array(z.number().nullable()),
    })
    .optional(),
  /** Why the target was not reached. */
  note: z.string().optional(),
});
export type LoudnessFacts = z.infer<typeof LoudnessFacts>;
