import type { DescribedOutput, EncodedOutput } from './http/output.ts';
import { roundToMilliseconds } from './milliseconds.ts';

/** Seconds of the source that a preview encodes. */
export const previewSeconds = 10;

type Trim = NonNullable<DescribedOutput['trim']>;

/** Seconds of the source that an output has. */
export function secondsAfter({ start = 0, end = Infinity }: Trim, sourceSeconds: number): number {
  return Math.max(0, Math.min(end, sourceSeconds) - start);
}

/** Ten seconds in the middle of what an output would have; all of it if it is shorter. */
export function previewTrim(trim: Trim, sourceSeconds: number): Trim {
  const whole = secondsAfter(trim, sourceSeconds);
  if (whole <= previewSeconds) return trim;
  const start = roundToMilliseconds((trim.start ?? 0) + (whole - previewSeconds) / 2);
  return { start, end: roundToMilliseconds(start + previewSeconds) };
}

/** The whole, if all of it is like the preview. */
export interface PreviewEstimate {
  /** Seconds of media that the whole has. */
  mediaSeconds: number;
  /** Bytes of each output. */
  sizes: (number | undefined)[];
  /** Seconds of media that ffmpeg encoded in a second; undefined if it reported no speed. */
  speed?: number;
  encodeSeconds?: number;
}

export function estimateOf(
  outputs: readonly Pick<EncodedOutput, 'size' | 'duration'>[],
  mediaSeconds: number,
  speed: number | undefined,
): PreviewEstimate {
  return {
    mediaSeconds,
    sizes: outputs.map(({ size, duration = 0 }) =>
      duration > 0 ? Math.round((size / duration) * mediaSeconds) : undefined,
    ),
    ...(speed !== undefined && { speed, encodeSeconds: Math.round(mediaSeconds / speed) }),
  };
}

/** Progress of a preview's run. */
interface Pace {
  phase?: string | undefined;
  percent?: number | undefined;
  speed?: number | undefined;
}

/** Progress from which the speed of a preview tells that of the whole. */
const leastPercent = 50;

/**
 * Speed that the whole would have. ffmpeg reports its average since the start, and an encoder takes in many pictures
 * before it emits the first one.
 */
export function wholeSpeedIn({ phase, percent = 0, speed = 0 }: Pace): number | undefined {
  return phase === 'encode' && percent >= leastPercent && speed > 0 ? speed : undefined;
}
