import type { Verdict } from '../verdict.ts';
import { endOf, placeAt, shapeFaults, usualLikeness, type WantedFilm } from './compare-film.ts';
import type { FilmKind } from './film-kind.ts';
import { likeness, type ShownPicture } from './shown.ts';

interface Terms extends Pick<FilmKind, 'isDamaged' | 'leastLikeness'> {
  /** Position of the poster as a share of the film. */
  share: number;
}

/** Seconds; the answer has milliseconds, and timestamps may too. */
const rounding = 0.0011;

const usualPictureSeconds = 0.04;

/** Compares a poster, with its answered time `at`, to what plain ffmpeg decodes there. */
export function comparePoster(
  image: ShownPicture | undefined,
  at: number | undefined,
  { pictures, sound }: WantedFilm,
  { isDamaged = false, leastLikeness = usualLikeness, share }: Terms,
): Verdict {
  if (image === undefined || at === undefined) return { faults: ['is no image or has no time'], found: '' };
  const first = pictures[0]?.time ?? 0;
  const start = Math.min(first, sound?.start ?? first);
  const placeIn = (end: number): number => placeAt(pictures, start + share * (end - start));
  const place = placeIn(endOf(pictures));
  // Files with millisecond clocks only estimate the duration of their last picture.
  const latest = Math.max(place, placeIn((pictures.at(-1)?.time ?? 0) + usualPictureSeconds));
  // A film whose sound starts first starts a whole number of pictures before its first one.
  const reach = isDamaged ? pictures.length : start < first ? 1 : 0;
  const near = pictures.slice(Math.max(0, place - reach), latest + reach + 1);
  const [best] = near
    .map(({ time, pixels }) => ({ time, decibels: likeness(image.pixels, pixels) }))
    .toSorted((one, other) => other.decibels - one.decibels);
  const { time, decibels } = best ?? { time: 0, decibels: 0 };
  const faults = shapeFaults(image, pictures[0]);
  if (decibels < leastLikeness) faults.push(`is not the picture ${place} (${Math.floor(decibels)} dB)`);
  const isTold = at > time - first - rounding && at < time - start + reach * usualPictureSeconds + rounding;
  if (!isDamaged && !isTold) faults.push(`says ${at} s of the one at ${time - start} s`);
  return { faults, found: `${Math.floor(decibels)} dB` };
}
