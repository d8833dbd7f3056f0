import { z } from 'zod';
import { type LoudnessName, namedLoudness } from '../loudness.ts';

/** Louder than -5 LUFS is no programme; a limiter of ffmpeg goes down to -24 dB, and codecs need some of that. */
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

/** What an answer tells of an output's loudness, as its file was decoded and measured. */
export const LoudnessFacts = z.object({
  ...measured,
  /** dB, the same from beginning to end */
  gain: z.number(),
  /** The source mixed to the channels of this output. */
  source: z.object(measured),
  /** The momentary loudness of the file. Optional, so that a worker understands containers of other versions. */
  curve: z
    .object({
      /** seconds from one point to the next */
      interval: z.number(),
      /** LUFS, the loudest 400 ms that end in the interval; null: no sound */
      momentary: z.array(z.number().nullable()),
    })
    .optional(),
  /** Where the target was not reached: why. */
  note: z.string().optional(),
});
export type LoudnessFacts = z.infer<typeof LoudnessFacts>;
