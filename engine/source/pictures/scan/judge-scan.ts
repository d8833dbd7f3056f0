import type { FieldComparison } from './compare-fields.ts';

/** Field of a picture that belongs to the earlier moment. */
export type FieldOrder = 'upper first' | 'lower first';

/**
 * How the pictures of a film were made. `telecined`: film at 24 frames per second, spread over 60 fields per second by
 * showing frames for two and three fields in turn. `mixed`: some pictures are progressive, others combine two moments.
 */
export type Scan = { kind: 'progressive' } | { kind: 'interlaced' | 'telecined' | 'mixed'; order: FieldOrder };

/** Share of all pixels. Pictures with less motion reveal nothing. */
const leastMovedShare = 0.002;

/**
 * Ratio of the distance between fields of one picture to that between fields of different pictures. Measured: at most
 * 0.42 in progressive films, except slow titles with 0.8; at least 0.48 in interlaced films.
 */
const mostOwnShare = 0.45;

/**
 * In interlaced films, the later field is nearer to the next picture: at most 0.75 of the reverse distance. Progressive
 * films have no such order and measured at least 0.79.
 */
const mostOrderShare = 0.76;

/**
 * Doubled lines, as in old games or upscaled pictures, look like two fields when they move by two lines per picture.
 * They cannot be distinguished from interlaced titles that move by one line per field.
 */
const leastPairing = 0.25;

type PairVote = FieldOrder | 'progressive';

function voteOf({
  movedShare,
  before,
  after,
  lowerThenUpper,
  upperThenLower,
  pairing,
}: FieldComparison): PairVote | undefined {
  if (movedShare < leastMovedShare) return undefined;
  const nearest = Math.min(lowerThenUpper, upperThenLower);
  if ((before + after) / 2 < mostOwnShare * nearest) return 'progressive';
  if (pairing < leastPairing) return undefined;
  // A fade-in is brighter in the later picture. Thin lines within one field are then nearer to those of the darker
  // picture.
  const steadiness = Math.min(before, after) / Math.max(before, after);
  const mostShare = mostOrderShare * steadiness;
  if (lowerThenUpper < mostShare * upperThenLower) return 'upper first';
  return upperThenLower < mostShare * lowerThenUpper ? 'lower first' : undefined;
}

/**
 * Share of the one field's change that the other field, repeated from the previous picture and encoded again, may show.
 */
const mostRepeatedShare = 0.4;
/** Average luma steps. A smaller change may come from an encoder alone. */
const leastChange = 0.1;

type Repeated = 'upper' | 'lower' | 'both' | 'none';

function repeatedField({ upperChange, lowerChange }: FieldComparison): Repeated {
  if (Math.max(upperChange, lowerChange) < leastChange) return 'both';
  if (upperChange < mostRepeatedShare * lowerChange) return 'upper';
  return lowerChange < mostRepeatedShare * upperChange ? 'lower' : 'none';
}

/** Pictures from one repeated field to the next repetition of the same field. */
const cycle = 5;
const leastRepetitions = 4;

/**
 * Field order of telecined pictures. Of five pictures, one repeats the first field of its predecessor, and the next but
 * one repeats the other field. Where an animation holds a drawing for some frames, the picture in between repeats
 * either of them.
 */
function findTelecineOrder(comparisons: readonly FieldComparison[]): FieldOrder | undefined {
  const repeated = comparisons.map(repeatedField);
  for (let phase = 0; phase < cycle; phase += 1) {
    for (const order of ['upper first', 'lower first'] as const) {
      const [first, second] = order === 'upper first' ? ['upper', 'lower'] : ['lower', 'upper'];
      const expected = [first, 'any', second, 'none', 'none'];
      const counts = { first: 0, second: 0, wrong: 0 };
      for (const [index, found] of repeated.entries()) {
        const wanted = expected[(index - phase + cycle) % cycle];
        if (found === 'both') continue;
        if (found !== wanted && wanted !== 'any') counts.wrong += 1;
        else if (found !== 'none') counts[found === first ? 'first' : 'second'] += 1;
      }
      const right = counts.first + counts.second;
      const areBoth = counts.first > 0 && counts.second > 0;
      if (areBoth && right >= leastRepetitions && counts.wrong * 10 <= right) return order;
    }
  }
  return undefined;
}

/** Shares of the informative pictures at a place. */
const [mostOfOneKind, leastOfOneKind] = [0.9, 0.1];
const leastVotes = 3;

/**
 * Judges consecutive pictures, each compared with its predecessor. Undefined if they reveal nothing. Only films at 30
 * pictures per second can be telecined.
 */
export function judgePlace(comparisons: readonly FieldComparison[], canBeTelecined: boolean): Scan | undefined {
  const telecineOrder = canBeTelecined ? findTelecineOrder(comparisons) : undefined;
  if (telecineOrder !== undefined) return { kind: 'telecined', order: telecineOrder };
  const votes = comparisons.map(voteOf).filter((vote) => vote !== undefined);
  if (votes.length < leastVotes) return undefined;
  const shareOf = (kind: PairVote): number => votes.filter((vote) => vote === kind).length / votes.length;
  const [upper, lower] = [shareOf('upper first'), shareOf('lower first')];
  const order = upper >= lower ? 'upper first' : 'lower first';
  const interlaced = Math.max(upper, lower);
  // All interlaced pictures of a film have one field order.
  if (interlaced <= leastOfOneKind || Math.min(upper, lower) > interlaced / 4) return { kind: 'progressive' };
  return { kind: interlaced >= mostOfOneKind ? 'interlaced' : 'mixed', order };
}

/** True if all pictures have moved and are progressive, so that more pictures cannot change the verdict. */
export function isPlainlyProgressive(comparisons: readonly FieldComparison[]): boolean {
  return comparisons.every((comparison) => voteOf(comparison) === 'progressive');
}

/** Combines the verdicts of several places of a film; undefined if none is informative. */
export function judgeScan(places: readonly (Scan | undefined)[]): Scan | undefined {
  const found = places.filter((place) => place !== undefined);
  const [first] = found;
  if (first === undefined || found.every(({ kind }) => kind === 'progressive')) return first;
  const orders = found.flatMap((place) => (place.kind === 'progressive' ? [] : [place.order]));
  const upper = orders.filter((order) => order === 'upper first').length;
  const order = upper * 2 >= orders.length ? 'upper first' : 'lower first';
  const isOfOne = found.every((place) => place.kind === first.kind && 'order' in place && place.order === order);
  return { kind: isOfOne && first.kind !== 'progressive' ? first.kind : 'mixed', order };
}
