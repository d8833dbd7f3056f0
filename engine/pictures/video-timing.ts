import type { PictureSource } from '../source/pictures/picture-source.ts';
import { type Rational, valueOf } from '../ffmpeg/rational.ts';
import type { VideoTiming } from '../plan/video-plan.ts';

/** Start of the output on the source's clock, in seconds. Picture and sound are present or already started there. */
function startSeconds(source: PictureSource, fps: Rational | undefined, soundStart: number | undefined): number {
  const pictureStart = source.startTicks * valueOf(source.timeBase);
  if (soundStart === undefined || soundStart >= pictureStart) return pictureStart;
  if (fps === undefined) return soundStart;
  // The first picture is shown earlier by whole pictures, so that it stays in sync with the sound to the sample.
  return pictureStart - Math.ceil((pictureStart - soundStart) * valueOf(fps) - 1e-6) / valueOf(fps);
}

/** Display times of a whole film's pictures. `asked` replaces the source's rate; undefined keeps it. */
export function planTiming(
  asked: Rational | undefined,
  source: PictureSource,
  soundStart: number | undefined,
): VideoTiming {
  const { timeBase, stamps, startTicks, endTicks, constantRate } = source;
  const fps = asked ?? constantRate;
  const start = startSeconds(source, fps, soundStart);
  if (fps === undefined && stamps !== undefined) {
    const firstTick = Math.round(start / valueOf(timeBase));
    return { kind: 'variable', timeBase, stamps, startTicks: Math.min(firstTick, startTicks), endTicks };
  }
  const rate = fps ?? { num: 25, den: 1 };
  const early = Math.round((startTicks * valueOf(timeBase) - start) * valueOf(rate));
  // At its own rate, each picture keeps its place. At another rate, the length of the source decides.
  const seconds = (endTicks - startTicks) * valueOf(timeBase);
  const isKept = asked === undefined && stamps !== undefined;
  const frames = early + Math.max(1, isKept ? source.frames : Math.round(seconds * valueOf(rate)));
  return { kind: 'constant', fps: rate, frames, startSeconds: start };
}

/** Start of the output on the source's clock, in seconds. */
export function timingStart(timing: VideoTiming): number {
  return timing.kind === 'constant' ? timing.startSeconds : timing.startTicks * valueOf(timing.timeBase);
}

/** Number of pictures of an output. */
export function plannedFrames(timing: VideoTiming): number {
  return timing.kind === 'constant' ? timing.frames : timing.stamps.length;
}

/** Seconds from the first picture to the end of the last. */
export function plannedSeconds(timing: VideoTiming): number {
  return timing.kind === 'constant'
    ? timing.frames / valueOf(timing.fps)
    : (timing.endTicks - timing.startTicks) * valueOf(timing.timeBase);
}

/** Seconds attributable to rounding. */
export const roundingSeconds = 1e-6;
