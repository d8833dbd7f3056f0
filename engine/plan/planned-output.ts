import type { ContainerName } from '../../contract/formats.ts';
import type { CheckOptions } from '../../contract/http/checks.ts';
import type { OutputNaming } from '../../contract/unsupported-output.ts';
import type { SubtitlePlan } from './subtitle-plan.ts';
import type { FailedCopy } from './copy-decision.ts';
import type { AudioPlan } from './audio-plan.ts';
import type { VideoPlan } from './video-plan.ts';

export interface WrittenMetadata {
  entries: ReadonlyMap<string, string>;
  /** Language of the sound (ISO 639-2). */
  language: string | undefined;
}

/** All parameters of one output. A stream that is not planned is not in the file. */
export interface OutputPlan extends OutputNaming {
  container: ContainerName;
  audio?: AudioPlan;
  video?: VideoPlan;
  /** Undefined: no subtitles. */
  subtitles?: SubtitlePlan;
  checks: CheckOptions;
  /** Written as a fragmented MP4. */
  isFragmented?: true;
  /** Set if the file is samples that an analysis reads. `parts`: the segments need not be joined. */
  samplesFor?: 'parts' | 'one_file';
  /** Metadata that ffmpeg writes into the file. All other tags are written after encoding. */
  metadata?: WrittenMetadata | undefined;
  /** Returns the plan without the copy that failed. */
  withoutCopy?: (failed: FailedCopy) => OutputPlan;
}
