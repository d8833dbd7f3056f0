import type { VideoPlan } from '../plan/video-plan.ts';
import { keyframeDistance } from '../pictures/encoder-arguments.ts';

/** Pictures that are encoded before and after a segment and then dropped. */
export interface RunLengths {
  before: number;
  after: number;
}

/**
 * With these lengths, a segment has the pictures of a single encoder. The pictures before it fill the memory of the rate
 * control. x264 and x265 forget 5 % of it with each picture. After 144 pictures, x264 had four other pictures of 750.
 * After 100 pictures, x265 had other pictures in 3 of 16 segments. x265 rounds what it remembers, so it may never forget
 * while a picture stands still. The pictures after the segment fill the lookahead, although a key frame ends the segment.
 * SVT-AV1 and libvpx count key frames from their first picture, so they begin a whole interval earlier.
 */
export function runLengths(plan: VideoPlan): RunLengths {
  switch (plan.codec) {
    case 'h264':
      return { before: 200, after: 60 };
    case 'hevc':
      return { before: 200, after: 50 };
    case 'av1':
      return { before: keyframeDistance(plan), after: 17 };
    case 'vp9':
      return { before: keyframeDistance(plan), after: 50 };
    case 'prores':
    case 'ffv1':
      return { before: 0, after: 0 };
  }
}

/**
 * Pictures between possible borders of segments. A border elsewhere would shift all later key frames of an encoder
 * that counts them, or break the requested interval.
 */
export function borderGrid(plan: VideoPlan): number {
  const countsKeys = plan.codec === 'av1' || plan.codec === 'vp9' || plan.keyframeSeconds !== undefined;
  return countsKeys ? keyframeDistance(plan) : 1;
}
