import type { StatedPictures } from './media-playlist.ts';
import type { ReadPart } from './read-package.ts';
import { videoTrackOf } from './segment-problems.ts';

/** Indexes round rates, for example to 23.976. */
const rateTolerance = 0.005;

interface PictureRates {
  /** rate of the densest segment */
  densest: number;
  /** The same without the last picture, which a cut often shortens. */
  regular: number;
  /** rate of the two pictures that are closest to each other */
  fastest: number;
}

/** Pictures per second (pure); undefined if no rate can be read. */
function picturesASecond(part: Pick<ReadPart, 'tracks' | 'segments'>): PictureRates | undefined {
  const track = part.tracks.find(({ kind }) => kind === 'video');
  if (track === undefined) return undefined;
  const segments = part.segments.map(({ fragments }) => fragments.filter(({ trackId }) => trackId === track.id));
  const sumOf = (fragments: (typeof segments)[number], name: 'samples' | 'durationTicks'): number =>
    fragments.reduce((sum, fragment) => sum + fragment[name], 0);
  const ratesWithout = (lastPictures: number): number[] =>
    segments.flatMap((fragments, index) => {
      const ticks = sumOf(fragments, 'durationTicks');
      const samples = sumOf(fragments, 'samples') - (index === segments.length - 1 ? lastPictures : 0);
      return ticks > 0 ? [(samples * track.timescale) / ticks] : [];
    });
  const rates = ratesWithout(0);
  const shortest = segments.flat().reduce((least, { shortestTicks }) => Math.min(least, shortestTicks), Infinity);
  if (rates.length === 0 || !(shortest > 0)) return undefined;
  return { densest: greatest(rates), regular: greatest(ratesWithout(1)), fastest: track.timescale / shortest };
}

const greatest = (rates: readonly number[]): number => rates.reduce((one, other) => Math.max(one, other), 0);

/** Rate that an index should state; undefined if its own rate is right (pure). */
export function missedRate({ frameRate }: StatedPictures, part: ReadPart | undefined): number | undefined {
  const rates = frameRate > 0 && part !== undefined ? picturesASecond(part) : undefined;
  return rates !== undefined && isTooFew(frameRate, rates.densest) ? Math.ceil(rates.densest * 1000) / 1000 : undefined;
}

const isTooFew = (said: number, found: number): boolean => said < found * (1 - rateTolerance);

/** Pixels that are not square leave a remainder. */
const isNear = (pixels: number, said = NaN): boolean => Math.abs(pixels - said) <= 1;

/** Wrong sizes and rates in an index, by which players choose (pure). `index` names it in a sentence. */
export function pictureProblems({ resolution, frameRate }: StatedPictures, part: ReadPart, index: string): string[] {
  const problems: string[] = [];
  const { sizes = [] } = videoTrackOf(part) ?? {};
  const [coded] = sizes;
  const isOne = sizes.some(
    ({ width, height }) => isNear(width, resolution?.width) && isNear(height, resolution?.height),
  );
  if (resolution !== undefined && coded !== undefined && !isOne) {
    problems.push(
      `its pictures have ${coded.width}x${coded.height} pixels, and ${index} says ${resolution.width}x${resolution.height}`,
    );
  }
  const rates = frameRate > 0 ? picturesASecond(part) : undefined;
  if (rates === undefined) return problems;
  const isLess = isTooFew(frameRate, rates.regular);
  if (isLess || frameRate > rates.fastest * (1 + rateTolerance)) {
    const found = isLess ? rates.densest : rates.fastest;
    problems.push(`it has up to ${decimal(found)} pictures a second, and ${index} says ${decimal(frameRate)}`);
  }
  return problems;
}

const decimal = (value: number): string => String(Number(value.toFixed(3)));
