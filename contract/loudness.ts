import { z } from 'zod';

/** Loudness in LUFS (ITU-R BS.1770-4, gated as EBU R 128 has it), true peak in dBTP. */
export interface LoudnessTarget {
  integrated: number;
  truePeak: number;
  /** dB: no source is made louder by more, so that noise stays noise */
  maxGain: number;
}

/** dB */
export const defaultMaxGain = 30;

/** The named targets: LUFS and dBTP. */
export const namedLoudness = {
  // Apple, "Audio requirements" for podcasts: -16 LKFS within 1 dB, true peaks no higher than -1 dB FS.
  podcast: { integrated: -16, truePeak: -1 },
  // The same heard from two loudspeakers: one channel counts 3 dB less than two equal ones (BS.1770-4, annex 1).
  'podcast-mono': { integrated: -19, truePeak: -1 },
  // EBU R 128 (2020), recommendations f and h.
  'ebu-r128': { integrated: -23, truePeak: -1 },
  // ATSC A/85:2013, section 7.1 and annex K.
  'atsc-a85': { integrated: -24, truePeak: -2 },
  // Spotify for Artists, "Loudness normalization": -14 LUFS, true peaks below -1 dB.
  streaming: { integrated: -14, truePeak: -1 },
} as const;
export type LoudnessName = keyof typeof namedLoudness;

/** Louder than -5 LUFS is no programme; a limiter of ffmpeg goes down to -24 dB, and codecs need some of that. */
export const RequestedLoudness = z.union(
  [
    z.enum(Object.keys(namedLoudness) as [LoudnessName, ...LoudnessName[]]),
    z.strictObject({
      integrated: z.number().min(-60).max(-5),
      truePeak: z.number().min(-18).max(0),
      maxGain: z.number().min(0).max(60).optional(),
    }),
  ],
  {
    error: `must be ${Object.keys(namedLoudness).join(', ')}, or {"integrated": -60 to -5 LUFS, "truePeak": -18 to 0 dBTP, "maxGain": 0 to 60 dB}`,
  },
);
export type RequestedLoudness = z.infer<typeof RequestedLoudness>;

export function loudnessTarget(requested: RequestedLoudness): LoudnessTarget {
  if (typeof requested === 'string') return { ...namedLoudness[requested], maxGain: defaultMaxGain };
  return { ...requested, maxGain: requested.maxGain ?? defaultMaxGain };
}

const measured = {
  /** LUFS; null where there is nothing to measure: silence, or less than 400 ms */
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
  /** As this output's channels are made of it. */
  source: z.object(measured),
  /** Where the target was not reached: why. */
  note: z.string().optional(),
});
export type LoudnessFacts = z.infer<typeof LoudnessFacts>;
