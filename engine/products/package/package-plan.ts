import type { EncryptionSettings } from '../../../contract/encryption-settings.ts';
import type { RequestedTrim } from '../../../contract/http/output-options.ts';
import type { PerTitleFacts } from '../../../contract/http/per-title.ts';
import type { PackageSettings } from '../../../contract/package-settings.ts';
import type { Cue } from '../../formats/webvtt/webvtt.ts';
import type { OutputPlan } from '../../plan/planned-output.ts';
import type { SubtitlePlan } from '../../plan/subtitle-plan.ts';

/** One size of the pictures, or one audio track: a file that the packager divides. */
export interface PackagePart {
  kind: 'video' | 'audio';
  /** Name of its folder or its file. */
  name: string;
  plan: OutputPlan;
  path: string;
  /** Sound only, as players show it (BCP 47). */
  language?: string | undefined;
  title?: string;
}

export interface Encryption extends Omit<EncryptionSettings, 'key'> {
  /** 16 bytes; no log, answer or file may contain them. */
  key: Buffer;
}

/** A track of subtitles whose cues are on the clock of the package. */
export interface PackageSubtitles {
  /** Name of its folder or its files. */
  name: string;
  /** Name that players show. */
  title: string;
  /** BCP 47 */
  language: string | undefined;
  cues: readonly Cue[];
  isDefault: boolean;
  isForced: boolean;
  isForHardOfHearing: boolean;
}

export interface PackagePlan extends Pick<PackageSettings, 'kinds' | 'layout'> {
  parts: PackagePart[];
  /** Length of a segment, a whole number of pictures. */
  segmentSeconds: number;
  /** Time between two key frames. */
  keyframeSeconds: number;
  /** Part of the source that the package has. */
  trim?: RequestedTrim | undefined;
  encryption?: Encryption | undefined;
  subtitles?: PackageSubtitles[];
  /** Subtitle facts for the answer. */
  subtitlePlan?: SubtitlePlan | undefined;
  /** Trials that chose the sizes. */
  perTitle?: PerTitleFacts;
}
