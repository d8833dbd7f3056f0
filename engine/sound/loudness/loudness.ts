import { integratedLoudness, loudnessRange } from './gating.ts';
import type { Measured } from './measure-part.ts';
import { roundLevel } from './round-level.ts';

/** Loudness of a whole file. */
export interface Loudness {
  /** LUFS; -Infinity for silence or less than 400 ms. */
  integrated: number;
  /** LU. */
  range: number;
  /** dBTP; -Infinity for silence. */
  truePeak: number;
}

export function loudnessOf(measured: Measured): Loudness {
  return {
    integrated: integratedLoudness(measured),
    range: loudnessRange(measured),
    truePeak: measured.truePeak,
  };
}

/** Rounded for answers and reports. */
export function loudnessFigures({ integrated, truePeak, range }: Loudness) {
  return { integrated: roundLevel(integrated), truePeak: roundLevel(truePeak), range: Math.round(range * 100) / 100 };
}
