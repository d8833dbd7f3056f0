import type { OutputPlan } from '../plan/planned-output.ts';
import type { EncoderPass } from './encoder-arguments.ts';
import type { VideoPlan } from '../plan/video-plan.ts';

/** An output with pictures to make, where its file goes, and where its sound lies already, if it has any. */
export interface PictureTarget {
  plan: OutputPlan & { video: VideoPlan };
  path: string;
  soundPath: string | undefined;
  /** Undefined: there is one. */
  pass?: EncoderPass;
}
