import type { Recipe } from '../recipe.ts';

/** One kind of film. */
export interface FilmKind {
  /** unique; `<group>/<what it is>` */
  name: string;
  source: Recipe;
  /** It is refused with this code. */
  refused?: string;
  /** Outputs that are refused with this code, where others are made. */
  refusedOutputs?: Readonly<Record<string, string>>;
  /** For plain ffmpeg, before it compares: what the product has to do of itself. */
  referenceFilters?: readonly string[];
  /** Seconds by which plain ffmpeg shows pictures too late: AVI does not say when they are shown, and its decoder holds some back. */
  lateSeconds?: number;
  /** Pictures that plain ffmpeg decodes and nobody could show: so many at its beginning. */
  undecodable?: number;
  /** Pictures that may be missing, or be another's. */
  tolerance?: number;
  /** Its sound, and which picture an image is of, are not compared. */
  isDamaged?: boolean;
  /** dB that a picture is like the one that plain ffmpeg decodes */
  leastLikeness?: number;
  /** The sound stream that outputs have. */
  soundStream?: number;
  /** checked by `npm run test:slow`, too */
  isQuick?: boolean;
}

export function filmKind(name: string, source: Recipe, facts: Omit<FilmKind, 'name' | 'source'> = {}): FilmKind {
  return { name, source, ...facts };
}
