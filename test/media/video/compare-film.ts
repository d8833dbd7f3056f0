import type { Verdict } from '../verdict.ts';
import type { FilmKind } from './film-kind.ts';
import { lagsOf, type PlacedSound } from '../placed-sound.ts';
import { type HeardSound, isWhite, likeness, type ShownPicture } from './shown.ts';

/** Pictures and sound that plain ffmpeg decodes. */
export interface WantedFilm {
  pictures: readonly ShownPicture[];
  sound: HeardSound | undefined;
  /** Sound that is compared at many points instead of by its claps. */
  noise?: PlacedSound | undefined;
}

interface Terms extends Pick<FilmKind, 'tolerance' | 'leastLikeness' | 'isDamaged'> {
  /** Frame rate if it differs from the source's. */
  fps?: number;
  /** The output has no sound, even if the source has. */
  isSilent?: boolean;
}

/** dB: different pictures of the same film reach at most 15. */
export const usualLikeness = 22;

/** Matroska timestamps, in source and output, have milliseconds, and QuickTime counts in 600ths. */
const mostSecondsOff = 0.0022;

/** Sync tolerance of sound and pictures. A low-rate filter moves the edge of a clap by some samples. */
const mostSoundSecondsOff = 0.001;

/** Encoders fill their last frame. */
const mostEndSecondsOff = 0.06;

/** Index of the source picture shown at a time. */
export function placeAt(source: readonly ShownPicture[], time: number): number {
  const next = source.findIndex((picture) => picture.time > time);
  return Math.max(0, (next === -1 ? source.length : next) - 1);
}

const stepsOf = (pictures: readonly ShownPicture[]): number[] =>
  pictures.slice(1).map(({ time }, index) => time - (pictures[index]?.time ?? 0));

/** End of the pictures; the last one is assumed to be shown for the median duration. */
export function endOf(pictures: readonly ShownPicture[]): number {
  const steps = stepsOf(pictures).toSorted((one, other) => one - other);
  return (pictures.at(-1)?.time ?? 0) + (steps[steps.length >> 1] ?? 0.04);
}

function halfStep(pictures: readonly ShownPicture[]): number {
  return Math.min(0.02, ...stepsOf(pictures).filter((step) => step > 0)) / 2;
}

interface Matched {
  /** Start of the output on the source's clock. */
  zero: number;
  places: number[];
  wrong: number[];
  /** dB of the least similar picture. */
  worst: number;
}

function matchAt(
  zero: number,
  made: WantedFilm,
  source: WantedFilm,
  { fps, leastLikeness = usualLikeness }: Terms,
): Matched {
  const early = fps === undefined ? halfStep(source.pictures) : 0.5 / fps - 1e-6;
  const places = made.pictures.map(({ time }) => placeAt(source.pictures, time + zero + early));
  const decibels = made.pictures.map(({ pixels }, index) => {
    const place = places[index] ?? 0;
    const here = likeness(pixels, source.pictures[place]?.pixels ?? Buffer.alloc(0));
    const beside = [place - 1, place + 1].map((other) => source.pictures[other]?.pixels);
    const best = Math.max(...beside.map((other) => (other === undefined ? 0 : likeness(pixels, other))));
    // Encoding losses may make two similar neighbours even more similar.
    return best > here + 1.5 ? 0 : here;
  });
  const wrong = decibels.flatMap((each, index) => (each < leastLikeness ? [index] : []));
  return { zero, places, wrong, worst: Math.min(...decibels) };
}

/** Finds the start of an output on the source's clock from its pictures. */
function match(made: WantedFilm, source: WantedFilm, terms: Terms): Matched {
  const flash = made.pictures.find(isWhite);
  const flashes = flash === undefined ? [] : source.pictures.filter(isWhite).map(({ time }) => time - flash.time);
  const first = source.pictures[0]?.time ?? 0;
  const early = first - (source.sound?.start ?? first);
  // At a constant rate, a film whose sound starts first starts a whole number of pictures before its first one.
  const step = ((source.pictures.at(-1)?.time ?? 0) - first) / Math.max(1, source.pictures.length - 1) || 1;
  const starts = [first, first - early, first - Math.ceil(early / step) * step].filter(Number.isFinite);
  const tried = [...flashes, ...starts].map((zero) => matchAt(zero, made, source, terms));
  const best = tried.reduce((one, other) => (other.wrong.length < one.wrong.length ? other : one));
  // Single timestamps may be rounded; their median reveals the start.
  const zeros = made.pictures
    .map(({ time }, index) => (source.pictures[best.places[index] ?? 0]?.time ?? 0) - time)
    .toSorted((one, other) => one - other);
  return terms.fps === undefined ? { ...best, zero: zeros[Math.floor(zeros.length / 2)] ?? best.zero } : best;
}

/** Share by which sides may be rounded to even numbers of pixels. */
const mostStretch = 0.03;

/** Faults of a picture that is stretched, or turned by a quarter. */
export function shapeFaults(made: ShownPicture | undefined, source: ShownPicture | undefined): string[] {
  if (made === undefined || source === undefined) return [];
  const [own, wanted] = [made.aspect, source.aspect];
  const isStretched = Math.abs(own / wanted - 1) > mostStretch;
  return isStretched ? [`is ${own.toFixed(2)} times as wide as high instead of ${wanted.toFixed(2)}`] : [];
}

function pictureFaults(made: WantedFilm, source: WantedFilm, terms: Terms, { zero, places, wrong }: Matched): string[] {
  const { fps, tolerance = 0 } = terms;
  const faults: string[] = [];
  if (made.pictures[0]?.time !== 0) faults.push(`begins at ${made.pictures[0]?.time}`);
  if (wrong.length > tolerance) {
    faults.push(`${wrong.length} of ${places.length} pictures are not those of their time, the first at ${wrong[0]}`);
  }
  if (fps !== undefined) {
    const count = (endOf(source.pictures) - zero) * fps;
    if (Math.abs(places.length - count) > 2.01 + tolerance) {
      faults.push(`has ${places.length} pictures where the source lasts for ${count.toFixed(1)}`);
    }
    const off = made.pictures.findIndex(({ time }, index) => Math.abs(time - index / fps) > 1e-5);
    return off === -1 ? faults : [...faults, `picture ${off} is at ${made.pictures[off]?.time}`];
  }
  const missing = source.pictures.flatMap((_, place) => (places.includes(place) ? [] : [place]));
  if (missing.length > tolerance) faults.push(`${missing.length} pictures are missing, the first is ${missing[0]}`);
  // The first picture is shown earlier if the sound starts before it.
  const twice = places.filter((place, index) => place !== 0 && place === places[index - 1]);
  if (twice.length > tolerance) faults.push(`${twice.length} pictures are there twice, the first is ${twice[0]}`);
  const off = made.pictures.flatMap(({ time }, index) => {
    const place = places[index] ?? 0;
    const seconds = Math.abs(time + zero - (source.pictures[place]?.time ?? 0));
    return place === 0 || seconds <= mostSecondsOff ? [] : [`${index} by ${(seconds * 1000).toFixed(1)} ms`];
  });
  if (off.length > tolerance) faults.push(`${off.length} pictures are beside their time, such as ${off[0]}`);
  return faults;
}

/** Timestamps of source and output may be rounded to milliseconds. */
const mostNoiseSecondsOff = 0.0015;

/** Least number of the twenty points at which noise must be recognised. */
const leastPoints = 10;

function noiseFaults(made: PlacedSound, wanted: PlacedSound, zero: number): string[] {
  const lags = lagsOf(made, wanted, { offset: zero }).filter(({ likeness }) => likeness > 0.85);
  const worst = Math.max(0, ...lags.map(({ lag }) => Math.abs(lag)));
  if (lags.length < leastPoints) return [`its sound is recognised at ${lags.length} points`];
  return worst > mostNoiseSecondsOff ? [`its sound is ${(worst * 1000).toFixed(1)} ms beside its place`] : [];
}

function soundFaults(made: WantedFilm, source: WantedFilm, terms: Terms, zero: number): string[] {
  if (source.sound === undefined || terms.isSilent === true) {
    return made.sound === undefined ? [] : ['has sound'];
  }
  if (made.sound === undefined) return ['has no sound'];
  if (made.noise !== undefined && source.noise !== undefined) return noiseFaults(made.noise, source.noise, zero);
  const faults: string[] = [];
  const wanted = source.sound.claps.map((clap) => clap - zero);
  const { claps, end } = made.sound;
  const off = claps.map((clap) => Math.min(...wanted.map((other) => Math.abs(other - clap))));
  if (claps.length !== wanted.length) faults.push(`has ${claps.length} claps instead of ${wanted.length}`);
  const worst = Math.max(0, ...off);
  if (worst > mostSoundSecondsOff) faults.push(`a clap is ${(worst * 1000).toFixed(2)} ms beside its place`);
  const late = end - (source.sound.end - zero);
  if (Math.abs(late) > mostEndSecondsOff) faults.push(`its sound ends ${Math.round(late * 1000)} ms late`);
  return terms.isDamaged === true ? [] : faults;
}

export function compareFilm(made: WantedFilm, source: WantedFilm, terms: Terms): Verdict {
  if (made.pictures.length === 0) return { faults: ['has no pictures'], found: '' };
  if (source.pictures.length === 0) return { faults: ['plain ffmpeg decodes nothing of the source'], found: '' };
  const matched = match(made, source, terms);
  return {
    faults: [
      ...shapeFaults(made.pictures[0], source.pictures[0]),
      ...pictureFaults(made, source, terms, matched),
      ...soundFaults(made, source, terms, matched.zero),
    ],
    found: `${Math.floor(matched.worst)} dB`,
  };
}
