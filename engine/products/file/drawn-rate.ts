import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import type { VideoTiming } from '../../plan/video-plan.ts';
import { roundingSeconds } from '../../pictures/video-timing.ts';

/** Longest time in seconds by which a text or a fade may wait for the next picture. */
const longestStepSeconds = 0.1;

/** Common rates, rising. */
const wholeRates = [24, 25, 30, 50, 60];
const commonRates = wholeRates.flatMap((rate): Rational[] => [
  { num: rate * 1000, den: 1001 },
  { num: rate, den: 1 },
]);

/** Rate of films that consist of slides. */
const slideRate = { num: 25, den: 1 };

/** Part by which clocks of milliseconds shorten the step of a rate. */
const stepTolerance = 0.03;

/**
 * Constant rate at which texts and fades that last for a time can be drawn; undefined if the pictures are close enough.
 * Texts and fades change only where a picture begins, and a slide may be shown for minutes (pure).
 */
export function drawnRate(timing: VideoTiming): Rational | undefined {
  const steps = stepsOf(timing).toSorted((one, other) => one - other);
  if ((steps.at(-1) ?? 0) <= longestStepSeconds + roundingSeconds) return undefined;
  const grid = gridStep(timing);
  // Every picture keeps its time on a multiple of its own rate.
  const multiple = grid === undefined ? undefined : commonRates.find((rate) => isWhole(valueOf(rate) * grid));
  if (multiple !== undefined) return multiple;
  const usual = steps[Math.floor(steps.length / 2)] ?? 0;
  if (usual > longestStepSeconds) return slideRate;
  const rate = wholeRates.find((pictures) => pictures * usual >= 1 - stepTolerance) ?? Math.max(...wholeRates);
  return { num: rate, den: 1 };
}

/** Seconds for which each picture is shown. */
function stepsOf(timing: VideoTiming): number[] {
  if (timing.kind === 'constant') return [1 / valueOf(timing.fps)];
  const { stamps, startTicks, endTicks, timeBase } = timing;
  const starts = [startTicks, ...stamps.slice(1)];
  return starts.map((start, index) => ((starts[index + 1] ?? endTicks) - start) * valueOf(timeBase));
}

/** Seconds between two places of the grid that has all pictures; undefined if there is none. */
function gridStep(timing: VideoTiming): number | undefined {
  if (timing.kind === 'constant') return 1 / valueOf(timing.fps);
  return timing.gridTicks === undefined ? undefined : timing.gridTicks * valueOf(timing.timeBase);
}

const isWhole = (number: number): boolean => Math.abs(number - Math.round(number)) < 1e-6;
