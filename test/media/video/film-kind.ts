import type { Recipe } from '../recipe.ts';

export interface FilmKind {
  /** Unique: `<group>/<description>`. */
  name: string;
  source: Recipe;
  refused?: string;
  /** Error codes of refused outputs, if others succeed. */
  refusedOutputs?: Readonly<Record<string, string>>;
  /** Filters for plain ffmpeg that correspond to what the product does by itself. */
  referenceFilters?: readonly string[];
  /** Seconds by which plain ffmpeg is late: AVI has no display times, and its decoder delays pictures. */
  lateSeconds?: number;
  /** Number of initial pictures that only plain ffmpeg decodes. */
  undecodable?: number;
  /** Number of pictures that may be missing or wrong. */
  tolerance?: number;
  /** Skips the comparison of the sound and of the poster's time. */
  isDamaged?: boolean;
  /** Least likeness to plain ffmpeg's pictures in dB. */
  leastLikeness?: number;
  /** The picture stands still at a border of segments: x265 may quantise it differently from there on. */
  standsStill?: boolean;
  /** The sound is noise, and is compared at many points. */
  isNoise?: boolean;
  /** Index of the sound stream that outputs have. */
  soundStream?: number;
  /** Also checked by `npm run test:slow`. */
  isQuick?: boolean;
}

export function filmKind(name: string, source: Recipe, facts: Omit<FilmKind, 'name' | 'source'> = {}): FilmKind {
  return { name, source, ...facts };
}
