import type { VideoSettings } from '../../contract/file-settings.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { type Rational, rationalOfFps, valueOf } from '../ffmpeg/rational.ts';
import type { VideoTiming } from '../plan/video-plan.ts';

/** Seconds of the source's clock at which the output begins, with both picture and sound there or before. */
function startSeconds(source: PictureSource, fps: Rational | undefined, soundStart: number | undefined): number {
  const pictureStart = source.startTicks * valueOf(source.timeBase);
  if (soundStart === undefined || soundStart >= pictureStart) return pictureStart;
  if (fps === undefined) return soundStart;
  // The first picture is shown earlier by whole pictures, so that it is in step with the sound to the last sample.
  return pictureStart - Math.ceil((pictureStart - soundStart) * valueOf(fps) - 1e-6) / valueOf(fps);
}

/** When pictures are shown of a film that is not cut (pure). `fieldRate`: where another number is left of them than the source has. */
export function planTiming(
  settings: VideoSettings,
  source: PictureSource,
  soundStart: number | undefined,
  fieldRate?: Rational,
): VideoTiming {
  const { timeBase, stamps, startTicks, endTicks, constantRate } = source;
  const fps = settings.fps === undefined ? (fieldRate ?? constantRate) : rationalOfFps(settings.fps);
  const start = startSeconds(source, fps, soundStart);
  if (fps === undefined && stamps !== undefined) {
    const firstTick = Math.round(start / valueOf(timeBase));
    return { kind: 'variable', timeBase, stamps, startTicks: Math.min(firstTick, startTicks), endTicks };
  }
  const rate = fps ?? { num: 25, den: 1 };
  const early = Math.round((startTicks * valueOf(timeBase) - start) * valueOf(rate));
  // At its own rate each picture has a place of its own; else those that the source's time has.
  const seconds = (endTicks - startTicks) * valueOf(timeBase);
  const isKept = (settings.fps ?? fieldRate) === undefined && stamps !== undefined;
  const frames = early + Math.max(1, isKept ? source.frames : Math.round(seconds * valueOf(rate)));
  return { kind: 'constant', fps: rate, frames, startSeconds: start };
}

/** Seconds of the source's clock at which the output begins (pure). */
export function timingStart(timing: VideoTiming): number {
  return timing.kind === 'constant' ? timing.startSeconds : timing.startTicks * valueOf(timing.timeBase);
}

/** How many pictures an output has (pure). */
export function plannedFrames(timing: VideoTiming): number {
  return timing.kind === 'constant' ? timing.frames : timing.stamps.length;
}

/** Seconds from the first picture to the end of the last (pure). */
export function plannedSeconds(timing: VideoTiming): number {
  return timing.kind === 'constant'
    ? timing.frames / valueOf(timing.fps)
    : (timing.endTicks - timing.startTicks) * valueOf(timing.timeBase);
}
