import type { SubtitlePictures } from '../source/subtitle-track.ts';
import type { AssScript } from '../formats/ass/ass.ts';
import type { Cue } from '../formats/webvtt/webvtt.ts';
import type { SubtitleCodec } from '../../contract/formats.ts';
import type { SubtitleFacts } from '../../contract/http/subtitles.ts';

/** What of a clock an output has, in seconds. */
export interface CueWindow {
  /** the time at which its first picture is shown */
  start: number;
  seconds: number;
}

/** What an output has of the source's own subtitles, and of files beside it, whose clock begins with the film. */
export interface CueWindows {
  source: CueWindow;
  file: CueWindow;
}

/** Those of them that an output shows. */
export interface ShownPictures {
  kind: 'pictures';
  pictures: SubtitlePictures;
  /** on the clock of the source */
  window: CueWindow;
}

/** What is shown, on the clock of an output. */
export type TextContent = { kind: 'cues'; cues: Cue[] } | { kind: 'script'; script: AssScript };

export type SubtitleContent = TextContent | ShownPictures;

/** What is drawn over the pictures of an output. */
export interface BurntSubtitles {
  content: SubtitleContent;
  /** Characters without a picture, which are left out. */
  undrawn: readonly string[];
}

/** A track of an output. */
export interface PlannedSubtitles {
  codec: SubtitleCodec;
  content: SubtitleContent;
  /** ISO 639-2 */
  language: string | undefined;
  title: string | undefined;
  isDefault: boolean;
  isForced: boolean;
  isForHardOfHearing: boolean;
}

export type LeftTrack = NonNullable<SubtitleFacts['left']>[number];

export interface SubtitlePlan {
  tracks: readonly PlannedSubtitles[];
  left: readonly LeftTrack[];
  burnt?: BurntSubtitles;
}
