import type { Recipe } from './recipe.ts';

/** Expected result for a kind of source, defined by hand and never recorded from the product. */
export type Outcome =
  | { kind: 'same' }
  /** The same number of samples as plain ffmpeg decodes, with small differences. */
  | { kind: 'near'; decibels: number }
  /** Length and position of each sound within 50 ms. */
  | { kind: 'placed' }
  | { kind: 'refused'; code: string };

export interface Silence {
  silentSeconds: number;
}

export interface Kind {
  /** Unique: `<group>/<description>`. */
  name: string;
  source: Recipe;
  /** Parts that plain ffmpeg decodes in sequence; by default the source itself. */
  reference?: readonly (Recipe | Silence)[];
  encode: Outcome;
  chunk: Outcome;
  /** Also checked by `npm test`. */
  isQuick?: boolean;
}

export const same: Outcome = { kind: 'same' };
export const placed: Outcome = { kind: 'placed' };
/** 16-bit samples at this level reach about 80 dB. */
export const near: Outcome = { kind: 'near', decibels: 60 };

export function refused(code: string): Outcome {
  return { kind: 'refused', code };
}

type KindFacts = Partial<Omit<Kind, 'name' | 'source'>>;

/** A lossless source, whose chunks have exactly its samples. */
export function losslessKind(name: string, source: Recipe, facts: KindFacts = {}): Kind {
  return { name, source, encode: same, chunk: same, ...facts };
}

/** A lossy source, which is decoded to floating point or rounded. */
export function lossyKind(name: string, source: Recipe, facts: KindFacts = {}): Kind {
  return { name, source, encode: near, chunk: placed, ...facts };
}

export function refusedKind(name: string, source: Recipe, code: string, facts: KindFacts = {}): Kind {
  return { name, source, encode: refused(code), chunk: refused(code), ...facts };
}
