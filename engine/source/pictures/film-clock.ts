import { isTogether } from '../../ffmpeg/lead.ts';
import { type AudioSource, type Source, withTracks } from '../source.ts';
import type { PictureSource } from './picture-source.ts';

/**
 * Places tracks and chapters on the clock of the film, which outputs with pictures have. Chapters that are nearly on it
 * stay, so that the first one starts with the film.
 */
export function onFilmClock(source: Source, { filmStart, soundStarts }: PictureSource): Source {
  const tracks = source.tracks.map((track) => {
    const soundStart = soundStarts[track.track] ?? filmStart;
    return withLead({ ...track, aloneStart: soundStart - track.leadSeconds }, soundStart - filmStart);
  });
  const { tags } = source;
  const moved = filmStart - tags.beginsAt;
  const chapters = isTogether(filmStart, tags.beginsAt)
    ? tags.chapters
    : tags.chapters.map((chapter) => ({ ...chapter, startSeconds: chapter.startSeconds - moved }));
  return withTracks({ ...source, tags: { ...tags, chapters } }, tracks);
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
