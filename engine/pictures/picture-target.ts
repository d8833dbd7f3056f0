import type { OutputPlan } from '../plan/planned-output.ts';
import type { EncoderPass } from './encoder-arguments.ts';
import type { VideoPlan } from '../plan/video-plan.ts';

/** An output with pictures to make, the path of its file, and the path of its finished sound, if any. */
export interface PictureTarget {
  plan: OutputPlan & { video: VideoPlan };
  path: string;
  soundPath: string | undefined;
  /** Undefined: a single pass. */
  pass?: EncoderPass;
  /** Pictures that must be key frames, counted from the first: the file is a segment, in one fragment per key frame. */
  segmentKeys?: readonly number[];
}
