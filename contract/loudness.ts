/** Loudness in LUFS (ITU-R BS.1770-4, gated as in EBU R 128), true peak in dBTP. */
export interface LoudnessTarget {
  integrated: number;
  truePeak: number;
  /** dB of gain at most, so that noise is not raised to programme level */
  maxGain: number;
}

/** dB */
export const defaultMaxGain = 30;

/** Named targets in LUFS and dBTP. */
export const namedLoudness = {
  // Apple's audio requirements for podcasts: -16 LKFS within 1 dB, true peaks up to -1 dB FS.
  podcast: { integrated: -16, truePeak: -1 },
  // The same loudness from two loudspeakers: one channel counts 3 dB less than two equal ones (BS.1770-4, annex 1).
  'podcast-mono': { integrated: -19, truePeak: -1 },
  // EBU R 128 (2020), recommendations f and h.
  'ebu-r128': { integrated: -23, truePeak: -1 },
  // ATSC A/85:2013, section 7.1 and annex K.
  'atsc-a85': { integrated: -24, truePeak: -2 },
  // Spotify for Artists, "Loudness normalization": -14 LUFS, true peaks below -1 dB.
  streaming: { integrated: -14, truePeak: -1 },
} as const;
export type LoudnessName = keyof typeof namedLoudness;

/** Resolves a `RequestedLoudness`; undefined keeps the source's loudness. */
export function loudnessTarget(
  requested: 'none' | LoudnessName | (Omit<LoudnessTarget, 'maxGain'> & { maxGain?: number | undefined }),
): LoudnessTarget | undefined {
  if (requested === 'none') return undefined;
  if (typeof requested === 'string') return { ...namedLoudness[requested], maxGain: defaultMaxGain };
  return { ...requested, maxGain: requested.maxGain ?? defaultMaxGain };
}
