import type { RequestedTrim } from '../../contract/http/output.ts';
import type { SourceCut } from '../plan/cut-plan.ts';
import type { AudioSource } from '../source/source.ts';
import { roundingSeconds } from './video-timing.ts';
import type { FilmCut } from '../plan/video-plan.ts';

/** What the sound beside pictures is cut out of, and where: the track and the cut in the time of the film. */
export interface SoundBeside {
  track: AudioSource;
  trim: RequestedTrim | undefined;
  /** There is no sound any more where the output begins. */
  isOver: boolean;
}

/** The sound that is heard while these pictures are seen (pure). `soundStart`: on the source's clock. */
export function soundBeside(track: AudioSource, soundStart: number, { filmStart, from, to }: FilmCut): SoundBeside {
  const { sampleRate, countedSamples } = track;
  const lead = soundStart - filmStart;
  // Less than a microsecond is the rounding of figures.
  const leadSeconds = lead < roundingSeconds ? 0 : lead;
  const moved = Math.round((leadSeconds - track.leadSeconds) * sampleRate);
  const counted = countedSamples === undefined ? undefined : countedSamples + moved;
  return {
    track: { ...track, leadSeconds, ...(counted !== undefined && { countedSamples: counted }) },
    trim: from === 0 && to === undefined ? undefined : { start: from, end: to },
    isOver: counted !== undefined && Math.round(from * sampleRate) >= counted,
  };
}

/** The same for chapters, in milliseconds; undefined where all of the film is left (pure). */
export function chapterCut({ from, to }: FilmCut): SourceCut | undefined {
  if (from === 0 && to === undefined) return undefined;
  // How long its sound goes on, nobody has to know here.
  const end = to === undefined ? Infinity : Math.round(to * 1000);
  return { sampleRate: 1000, sourceSamples: Infinity, from: Math.round(from * 1000), to: end, drops: [] };
}
