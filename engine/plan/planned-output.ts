import type { ContainerName } from '../../contract/formats.ts';
import type { CheckOptions } from '../../contract/http/checks.ts';
import type { OutputNaming } from '../../contract/unsupported-output.ts';
import type { SubtitlePlan } from './subtitle-plan.ts';
import type { FailedCopy } from './copy-decision.ts';
import type { AudioPlan } from './audio-plan.ts';
import type { VideoPlan } from './video-plan.ts';

export interface WrittenMetadata {
  entries: ReadonlyMap<string, string>;
  /** of the sound (ISO 639-2) */
  language: string | undefined;
}

/** Every figure of one output. A stream that is not planned is not in the file. */
export interface OutputPlan extends OutputNaming {
  container: ContainerName;
  audio?: AudioPlan;
  video?: VideoPlan;
  /** Undefined: it is to have none. */
  subtitles?: SubtitlePlan;
  checks: CheckOptions;
  /** Written as an MP4 in fragments. */
  isFragmented?: true;
  /** Set where the file is samples that an analysis reads. `parts`: the segments need not be joined. */
  samplesFor?: 'parts' | 'one_file';
  /** What ffmpeg writes into the file; of other containers tags are written when the file is whole. */
  metadata?: WrittenMetadata | undefined;
  /** Where packets are copied: the plan without that, should it not come out right. */
  withoutCopy?: (failed: FailedCopy) => OutputPlan;
}
