import type { VideoPlan } from '../plan/video-plan.ts';
import { keyframeDistance } from '../pictures/encoder-arguments.ts';

/** Pictures that are encoded before and after a segment and then dropped. */
export interface RunLengths {
  before: number;
  after: number;
}

/**
 * With these lengths, a segment has the pictures of a single encoder. The pictures before it fill the memory of the rate
 * control. x264 forgets 5 % of it with each picture: after 144 pictures, four of 750 differed, after 200 none. The
 * pictures after it fill the lookahead, although a key frame ends the segment. SVT-AV1 and libvpx count key frames from
 * their first picture, so they begin a whole interval earlier.
 */
export function runLengths(plan: VideoPlan): RunLengths {
  switch (plan.codec) {
    case 'h264':
      return { before: 200, after: 60 };
    case 'hevc':
      return { before: 100, after: 50 };
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
