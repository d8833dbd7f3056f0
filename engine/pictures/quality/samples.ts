import { valueOf } from '../../ffmpeg/rational.ts';
import { plannedFrames, plannedSeconds } from '../video-timing.ts';
import type { VideoTiming } from '../../plan/video-plan.ts';

/** Seconds of a sample; an encoder settles within one. */
const sampleSeconds = 4;
const mostSamples = 6;
/** Seconds of film per sample. */
const secondsForSample = 300;
const leastSamples = 3;

/** Times of short samples spread over a film. A film that is hardly longer than its samples is one sample. */
export function planFilmSamples(timing: VideoTiming): VideoTiming[] {
  const seconds = plannedSeconds(timing);
  const count = Math.min(mostSamples, Math.max(leastSamples, Math.ceil(seconds / secondsForSample)));
  const frames = plannedFrames(timing);
  const length = Math.max(1, Math.round((frames * sampleSeconds) / seconds));
  if (length * count * 1.5 >= frames) return [timing];
  return Array.from({ length: count }, (_, index) => {
    // Samples lie in the middle of their share, away from titles and credits.
    const first = Math.floor(((index + 0.5) * frames) / count - length / 2);
    return partOf(timing, first, length);
  });
}

/** Timing of consecutive pictures of a film. */
export function partOf(timing: VideoTiming, first: number, length: number): VideoTiming {
  if (timing.kind === 'constant') {
    return { ...timing, frames: length, startSeconds: timing.startSeconds + first / valueOf(timing.fps) };
  }
  const stamps = timing.stamps.slice(first, first + length);
  const [startTicks = 0] = stamps;
  return { ...timing, stamps, startTicks, endTicks: timing.stamps[first + length] ?? timing.endTicks };
}
