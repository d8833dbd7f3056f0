import { isTogether } from '../../ffmpeg/lead.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import type { AudioSource, Source } from '../source.ts';
import type { PictureSource } from './picture-source.ts';

/** Share of a picture, or of a tick, that is a rounding error. */
const rounding = 1e-6;

/**
 * Start of all outputs of a film, in seconds on the file's clock: the earliest of the first picture that can be decoded
 * and the first sound of any track. At a constant rate it precedes the first picture by whole pictures, so that every
 * picture stays on the grid and in sync with the sound. Otherwise it is a tick of the pictures' clock.
 */
export function findFilmStart({
  startTicks,
  timeBase,
  constantRate,
  soundStarts,
}: Pick<PictureSource, 'startTicks' | 'timeBase' | 'constantRate' | 'soundStarts'>): number {
  const tick = valueOf(timeBase);
  const pictureStart = startTicks * tick;
  const start = Math.min(pictureStart, ...soundStarts);
  if (start === pictureStart) return pictureStart;
  if (constantRate === undefined) return Math.floor(start / tick + rounding) * tick;
  const rate = valueOf(constantRate);
  return pictureStart - Math.ceil((pictureStart - start) * rate - rounding) / rate;
}

/**
 * Places tracks and chapters on the clock of the film, which outputs with pictures have. Chapters that are nearly on it
 * stay, so that the first one starts with the film.
 */
export function onFilmClock(source: Source, { filmStart, soundStarts }: PictureSource): Source {
  const tracks = source.tracks.map((track) => withLead(track, (soundStarts[track.track] ?? filmStart) - filmStart));
  const [audio] = tracks;
  const { tags } = source;
  const moved = filmStart - tags.beginsAt;
  const chapters = isTogether(filmStart, tags.beginsAt)
    ? tags.chapters
    : tags.chapters.map((chapter) => ({ ...chapter, startSeconds: chapter.startSeconds - moved }));
  return { ...source, tracks, ...(audio !== undefined && { audio }), tags: { ...tags, chapters } };
}

function withLead(track: AudioSource, seconds: number): AudioSource {
  // Less than half a sample is a rounding error.
  const leadSeconds = seconds * track.sampleRate < 0.5 ? 0 : seconds;
  const moved = leadSeconds - track.leadSeconds;
  const { declaredSeconds, estimatedSeconds } = track;
  return {
    ...{ ...track, leadSeconds },
    declaredSeconds: declaredSeconds === undefined ? undefined : declaredSeconds + moved,
    estimatedSeconds: estimatedSeconds === undefined ? undefined : estimatedSeconds + moved,
  };
}
