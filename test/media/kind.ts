import type { Recipe } from './recipe.ts';

/** What a user gets of a kind of source; stated by the kind, never recorded from the product. */
export type Outcome =
  /** every sample of the source, none changed */
  | { kind: 'same' }
  /** as many samples as plain ffmpeg decodes, and near them */
  | { kind: 'near'; decibels: number }
  /** within 50 ms of its length, and each sound in it within 50 ms of its place */
  | { kind: 'placed' }
  | { kind: 'refused'; code: string };

/** Seconds without sound in a reference. */
export interface Silence {
  silentSeconds: number;
}

/** One kind of source. */
export interface Kind {
  /** unique; `<group>/<what it is>` */
  name: string;
  source: Recipe;
  /** What plain ffmpeg decodes, one after the other; default the source itself. */
  reference?: readonly (Recipe | Silence)[];
  encode: Outcome;
  chunk: Outcome;
  /** checked by `npm test` too */
  isQuick?: boolean;
}

export const same: Outcome = { kind: 'same' };
export const placed: Outcome = { kind: 'placed' };
/** 16 bits of a sound at this level have some 80 dB. */
export const near: Outcome = { kind: 'near', decibels: 60 };

export function refused(code: string): Outcome {
  return { kind: 'refused', code };
}

type KindFacts = Partial<Omit<Kind, 'name' | 'source'>>;

/** A source without loss: its chunks are its very samples too. */
export function losslessKind(name: string, source: Recipe, facts: KindFacts = {}): Kind {
  return { name, source, encode: same, chunk: same, ...facts };
}

/** A source with loss, which is decoded to floating point or rounded on the way. */
export function lossyKind(name: string, source: Recipe, facts: KindFacts = {}): Kind {
  return { name, source, encode: near, chunk: placed, ...facts };
}

export function refusedKind(name: string, source: Recipe, code: string, facts: KindFacts = {}): Kind {
  return { name, source, encode: refused(code), chunk: refused(code), ...facts };
}
