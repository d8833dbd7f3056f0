import type { RequestedTrim } from '../../../contract/http/output-options.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import { plannedSeconds, roundingSeconds, timingStart } from '../video-timing.ts';
import type { PictureEdit } from './picture-edit.ts';
import type { FilmCut, VideoTiming } from '../../plan/video-plan.ts';

/**
 * A picture that starts this soon after the cut, and before its end, is the first one. Otherwise the previous picture is
 * shown from the cut on, because slides stay for minutes.
 */
const longestWaitSeconds = 0.1;

/** Pictures that start at or after `start` and before `end`. Throws if there are none. */
function cutTiming(
  whole: VideoTiming,
  { start = 0, end = Infinity }: RequestedTrim,
  naming: OutputNaming,
): VideoTiming {
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
  // The first picture is shown from the start, whatever its timestamp.
  const next = start <= 0 ? 0 : stamps.findIndex((stamp) => stamp >= from - rounding);
  const nextAt = stamps[next] ?? Infinity;
  const isSoon = next === 0 || (nextAt - from <= longestWaitSeconds / tick && nextAt < to - rounding);
  const first = isSoon ? next : (next === -1 ? stamps.length : next) - 1;
  const kept = stamps.slice(first).filter((stamp, index) => index === 0 || stamp < to - rounding);
  const begin = isSoon && first > 0 ? (kept[0] ?? from) : Math.max(startTicks, Math.round(from));
  return begin < to ? { ...whole, stamps: kept, startTicks: begin, endTicks: to } : undefined;
}

/** Part of the whole film that the pictures of a cut cover. */
export function planFilmCut(whole: VideoTiming, cut: VideoTiming, { end }: RequestedTrim): FilmCut {
  const filmStart = timingStart(whole);
  const from = timingStart(cut) - filmStart;
  const isWithin = end !== undefined && end <= plannedSeconds(whole) + roundingSeconds;
  return { filmStart, from, to: isWithin ? from + plannedSeconds(cut) : end };
}

export const trim: PictureEdit = {
  plan({ output }, { timing: whole }) {
    const { trim: asked = {} } = output;
    const timing = cutTiming(whole, asked, output);
    return { timing, cut: planFilmCut(whole, timing, asked) };
  },
  obstacleToCopy: ({ cut }) => (cut.from === 0 && cut.to === undefined ? undefined : 'its pictures are cut'),
};
