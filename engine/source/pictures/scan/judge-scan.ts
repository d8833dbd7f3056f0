import type { FieldComparison } from './compare-fields.ts';

/** Which of a picture's two fields is of the earlier moment. */
export type FieldOrder = 'upper first' | 'lower first';

/**
 * How the pictures of a film were made. `telecined`: a film of 24 a second, put on 60 fields a second by showing them for two fields and for
 * three. `mixed`: some are whole and some are of two moments.
 */
export type Scan = { kind: 'progressive' } | { kind: 'interlaced' | 'telecined' | 'mixed'; order: FieldOrder };

/** Pictures that have not moved tell nothing. Share of all pixels. */
const leastMovedShare = 0.002;

/**
 * How much farther apart two fields of different pictures are in progressive films than those of one: 0.42 of them at most in what was
 * measured, but for slow titles with 0.8. In interlaced films it is 0.48 and more.
 */
const mostOwnShare = 0.45;

/**
 * Of interlaced films the field that comes later is nearer to the next picture: 0.75 of the other way round at most. In progressive films
 * there is no such order, and it was 0.79 and more.
 */
const mostOrderShare = 0.76;

/**
 * Lines that are there twice, as of an old game or of a small picture made larger, look as if they were of two fields where they move by two lines a
 * picture: nobody could tell them from titles of fields that move by one line each.
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
  // What fades in is brighter in the later picture: thin lines that all lie in one field are then nearer to those of the darker one.
  const steadiness = Math.min(before, after) / Math.max(before, after);
  const mostShare = mostOrderShare * steadiness;
  if (lowerThenUpper < mostShare * upperThenLower) return 'upper first';
  return upperThenLower < mostShare * lowerThenUpper ? 'lower first' : undefined;
}

/** Of the one field's change, where the other is the one of the picture before, coded anew. */
const mostRepeatedShare = 0.4;
/** Steps of lightness on average: less may be an encoder's alone. */
const leastChange = 0.1;

type Repeated = 'upper' | 'lower' | 'both' | 'none';

function repeatedField({ upperChange, lowerChange }: FieldComparison): Repeated {
  if (Math.max(upperChange, lowerChange) < leastChange) return 'both';
  if (upperChange < mostRepeatedShare * lowerChange) return 'upper';
  return lowerChange < mostRepeatedShare * upperChange ? 'lower' : 'none';
}

/** Pictures from one repetition of a field to the next of the same field. */
const cycle = 5;
const leastRepetitions = 4;

/**
 * The field order of what was telecined: of five pictures one repeats the field that comes first of the picture before it, and the next but one
 * repeats the other. Where a drawing stands still for some pictures of the film, the picture in between repeats one of them, in place of one or the other.
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

/** Of the pictures of a place that tell something. */
const [mostOfOneKind, leastOfOneKind] = [0.9, 0.1];
const leastVotes = 3;

/**
 * How pictures that follow one another were made, by each with the one before it (pure). Undefined: they do not tell. What has no 30 pictures a
 * second was not telecined.
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
  // Of a film that was interlaced, all have one order.
  if (interlaced <= leastOfOneKind || Math.min(upper, lower) > interlaced / 4) return { kind: 'progressive' };
  return { kind: interlaced >= mostOfOneKind ? 'interlaced' : 'mixed', order };
}

/** Whether all of some pictures have moved and are whole (pure): nothing else can be found by looking at more of them. */
export function isPlainlyProgressive(comparisons: readonly FieldComparison[]): boolean {
  return comparisons.every((comparison) => voteOf(comparison) === 'progressive');
}

/** Of the whole film, by what was found at several places (pure). Undefined: none of them tells. */
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
