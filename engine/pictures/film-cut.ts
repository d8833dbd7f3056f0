import type { RequestedTrim } from '../../contract/http/output-options.ts';
import type { AudioPlan } from '../plan/audio-plan.ts';
import type { SourceCut } from '../plan/cut-plan.ts';
import type { AudioSource } from '../source/source.ts';
import { roundingSeconds } from './video-timing.ts';
import type { FilmCut } from '../plan/video-plan.ts';

/** The sound that accompanies pictures: its track, and the cut in film time. */
export interface SoundBeside {
  track: AudioSource;
  trim: RequestedTrim | undefined;
  /** The sound ends before the output starts. */
  isOver: boolean;
  film: NonNullable<AudioPlan['film']>;
}

/** Sound that is heard while these pictures are shown. `soundStart` is on the source's clock. */
export function soundBeside(track: AudioSource, soundStart: number, { filmStart, from, to }: FilmCut): SoundBeside {
  const { sampleRate, countedSamples } = track;
  const lead = soundStart - filmStart;
  // Less than a microsecond is a rounding error.
  const leadSeconds = lead < roundingSeconds ? 0 : lead;
  const moved = Math.round((leadSeconds - track.leadSeconds) * sampleRate);
  const counted = countedSamples === undefined ? undefined : countedSamples + moved;
  return {
    track: { ...track, leadSeconds, ...(counted !== undefined && { countedSamples: counted }) },
    trim: from === 0 && to === undefined ? undefined : { start: from, end: to },
    isOver: counted !== undefined && Math.round(from * sampleRate) >= counted,
    film: { path: track.clockPath ?? track.path, startSeconds: filmStart + from },
  };
}

/** The cut for chapters, in milliseconds; undefined if the whole film is kept. */
export function chapterCut({ from, to }: FilmCut): SourceCut | undefined {
  if (from === 0 && to === undefined) return undefined;
  // The length of the sound does not matter here.
  const end = to === undefined ? Infinity : Math.round(to * 1000);
  return { sampleRate: 1000, sourceSamples: Infinity, from: Math.round(from * 1000), to: end, drops: [] };
}
