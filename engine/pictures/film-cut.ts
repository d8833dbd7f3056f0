import type { FileSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import type { SourceCut } from '../plan/cut-plan.ts';
import type { AudioSource } from '../source/source.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { plannedSeconds, timingStart } from './video-timing.ts';
import type { FilmCut, PictureFade, VideoTiming } from '../plan/video-plan.ts';

/** Seconds that come from rounding, and from no picture's place. */
const roundingSeconds = 1e-6;

/** A picture that begins so soon after the cut is the first; else the one before it is, from the cut on: slides stay for minutes. */
const longestWaitSeconds = 0.1;

type Trim = NonNullable<FileSettings['trim']>;

/** The pictures of a film that begin from `start` on and before `end` (pure). Throws where there are none. */
export function cutTiming(whole: VideoTiming, { start = 0, end = Infinity }: Trim, naming: OutputNaming): VideoTiming {
  const cut = whole.kind === 'constant' ? cutGrid(whole, start, end) : cutStamps(whole, start, end);
  if (cut !== undefined) return cut;
  const places = ` from ${start} s${end === Infinity ? '' : ` to ${end} s`}`;
  throw new UnsupportedOutput(
    naming,
    `no picture is left of the source's ${plannedSeconds(whole).toFixed(3)} s after its trim${places}`,
  );
}

function cutGrid(whole: VideoTiming & { kind: 'constant' }, start: number, end: number): VideoTiming | undefined {
  const { frames, startSeconds } = whole;
  const fps = valueOf(whole.fps);
  const numberAt = (seconds: number): number => Math.ceil((seconds - roundingSeconds) * fps);
  const [first, last] = [Math.max(0, numberAt(start)), Math.min(frames, numberAt(end))];
  return first < last ? { ...whole, frames: last - first, startSeconds: startSeconds + first / fps } : undefined;
}

function cutStamps(whole: VideoTiming & { kind: 'variable' }, start: number, end: number): VideoTiming | undefined {
  const { stamps, startTicks, endTicks } = whole;
  const tick = valueOf(whole.timeBase);
  const ticksOf = (seconds: number): number => startTicks + seconds / tick;
  const rounding = roundingSeconds / tick;
  const [from, to] = [ticksOf(start), Math.min(endTicks, ticksOf(end))];
  if (from >= to - rounding) return undefined;
  // The first picture is there from the beginning on, whatever its stamp.
  const next = start <= 0 ? 0 : stamps.findIndex((stamp) => stamp >= from - rounding);
  const isSoon = next !== -1 && (next === 0 || (stamps[next] ?? Infinity) - from <= longestWaitSeconds / tick);
  const first = isSoon ? next : (next === -1 ? stamps.length : next) - 1;
  const kept = stamps.slice(first).filter((stamp, index) => index === 0 || stamp < to - rounding);
  const begin = isSoon && first > 0 ? (kept[0] ?? from) : Math.max(startTicks, Math.round(from));
  return begin < to ? { ...whole, stamps: kept, startTicks: begin, endTicks: to } : undefined;
}

/** What of the film these pictures are (pure). */
export function planFilmCut(whole: VideoTiming, cut: VideoTiming, { end }: Trim): FilmCut {
  const filmStart = timingStart(whole);
  const from = timingStart(cut) - filmStart;
  const isWithin = end !== undefined && end <= plannedSeconds(whole) + roundingSeconds;
  return { filmStart, from, to: isWithin ? from + plannedSeconds(cut) : end };
}

export function planPictureFade(
  { in: fadeIn = 0, out: fadeOut = 0 }: NonNullable<FileSettings['fade']>,
  timing: VideoTiming,
  naming: OutputNaming,
): PictureFade {
  const length = plannedSeconds(timing);
  if (fadeIn + fadeOut <= length + roundingSeconds) return { in: fadeIn, out: fadeOut, length };
  throw new UnsupportedOutput(naming, `its fades are longer than the ${length.toFixed(3)} s that it has`);
}

/** ffmpeg's filters for it (pure). */
export function fadeFilters(fade: PictureFade | undefined): string[] {
  if (fade === undefined) return [];
  const { in: fadeIn, out: fadeOut, length } = fade;
  return [
    ...(fadeIn > 0 ? [`fade=t=in:st=0:d=${fadeIn.toFixed(6)}`] : []),
    ...(fadeOut > 0 ? [`fade=t=out:st=${Math.max(0, length - fadeOut).toFixed(6)}:d=${fadeOut.toFixed(6)}`] : []),
  ];
}

/** What the sound beside pictures is cut out of, and where: the track and the cut in the time of the film. */
export interface SoundBeside {
  track: AudioSource;
  trim: Trim | undefined;
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
