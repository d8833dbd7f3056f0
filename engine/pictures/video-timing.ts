import { liesOnGrid } from '../source/pictures/frame-rate.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { type Rational, valueOf } from '../ffmpeg/rational.ts';
import type { VideoTiming } from '../plan/video-plan.ts';

/** Pictures per second. At faster claims, most times on a clock of milliseconds are within its rounding of the grid. */
const mostGridRate = 120;

/** Display times of a whole film's pictures. `asked` replaces the source's rate; undefined keeps it. */
export function planTiming(asked: Rational | undefined, source: PictureSource): VideoTiming {
  const { timeBase, stamps, startTicks, endTicks, constantRate, filmStart } = source;
  const tick = valueOf(timeBase);
  const fps = asked ?? constantRate;
  if (fps === undefined && stamps !== undefined) {
    const grid = source.claimedRates.find(
      (rate) => valueOf(rate) <= mostGridRate && liesOnGrid(stamps, timeBase, rate),
    );
    return inMicroseconds({
      ...{ kind: 'variable', timeBase, stamps, startTicks: Math.round(filmStart / tick), endTicks },
      ...(grid !== undefined && { gridTicks: 1 / (valueOf(grid) * tick) }),
    });
  }
  const rate = fps ?? { num: 25, den: 1 };
  // At its own rate, each picture keeps its place. At another rate, the length of the source decides.
  const isKept = asked === undefined && stamps !== undefined;
  const early = Math.round((startTicks * tick - filmStart) * valueOf(rate));
  const frames = isKept ? early + source.frames : Math.round((endTicks * tick - filmStart) * valueOf(rate));
  return { kind: 'constant', fps: rate, frames: Math.max(1, frames), startSeconds: filmStart };
}

/** Rounds times of a faster clock to microseconds, as ffmpeg's `overlay` and `xstack` would. */
function inMicroseconds(timing: VideoTiming & { kind: 'variable' }): VideoTiming {
  const { timeBase, stamps, startTicks, endTicks, gridTicks } = timing;
  const ticks = timeBase.den / (timeBase.num * 1e6);
  if (ticks <= 1) return timing;
  // Like ffmpeg's `settb`, away from zero at the middle of two ticks.
  const rounded = (tick: number): number => Math.sign(tick) * Math.round(Math.abs(tick) / ticks);
  const times = stamps.map(rounded);
  return {
    ...{
      kind: 'variable',
      timeBase: { num: 1, den: 1e6 },
      startTicks: rounded(startTicks),
      endTicks: rounded(endTicks),
    },
    stamps: times.filter((time, index) => time !== times[index - 1]),
    ...(gridTicks !== undefined && { gridTicks: gridTicks / ticks }),
  };
}

/** Start of the output on the source's clock, in seconds. */
export function timingStart(timing: VideoTiming): number {
  return timing.kind === 'constant' ? timing.startSeconds : timing.startTicks * valueOf(timing.timeBase);
}

export function plannedFrames(timing: VideoTiming): number {
  return timing.kind === 'constant' ? timing.frames : timing.stamps.length;
}

/** Tick of the pictures' clock, in seconds. */
export function tickOf(timing: VideoTiming): Rational {
  return timing.kind === 'constant' ? { num: timing.fps.den, den: timing.fps.num } : timing.timeBase;
}

/** Pictures of the film before a segment that is encoded. */
export function skippedPictures(timing: VideoTiming): number {
  return timing.kind === 'constant' ? (timing.skipped ?? 0) : 0;
}

/** Most pictures of a variable rate that begin within this time. */
export function mostPictures({ stamps, timeBase }: VideoTiming & { kind: 'variable' }, seconds: number): number {
  const ticks = seconds / valueOf(timeBase);
  let first = 0;
  let most = 0;
  for (const [index, stamp] of stamps.entries()) {
    while (stamp - (stamps[first] ?? stamp) >= ticks) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** Seconds for which the last picture is shown. */
export function lastPictureSeconds(timing: VideoTiming): number {
  if (timing.kind === 'constant') return 1 / valueOf(timing.fps);
  const { stamps, endTicks, timeBase } = timing;
  return (endTicks - (stamps.at(-1) ?? endTicks)) * valueOf(timeBase);
}

/** Seconds from the first picture to the end of the last. */
export function plannedSeconds(timing: VideoTiming): number {
  return timing.kind === 'constant'
    ? timing.frames / valueOf(timing.fps)
    : (timing.endTicks - timing.startTicks) * valueOf(timing.timeBase);
}

/** Seconds attributable to rounding. */
export const roundingSeconds = 1e-6;
