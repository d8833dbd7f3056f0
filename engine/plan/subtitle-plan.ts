import type { SubtitlePictures } from '../source/subtitle-track.ts';
import type { AssScript } from '../formats/ass/ass.ts';
import type { Cue } from '../formats/webvtt/webvtt.ts';
import type { SubtitleCodec } from '../../contract/formats.ts';
import type { SubtitleFacts } from '../../contract/http/subtitles.ts';

/** Part of a clock that an output covers, in seconds. */
export interface CueWindow {
  /** Time at which its first picture is shown. */
  start: number;
  seconds: number;
}

/**
 * Windows on the source's own subtitles, and on separate files, whose clock starts with the film or with an output of its
 * sound alone.
 */
export interface CueWindows {
  source: CueWindow;
  file: CueWindow;
  sound: CueWindow;
}

/** Packets that an output shows. */
export interface ShownPictures {
  kind: 'pictures';
  pictures: SubtitlePictures;
  /** On the source's clock. */
  window: CueWindow;
}

/** Visible text on an output's clock. */
export type TextContent = { kind: 'cues'; cues: Cue[] } | { kind: 'script'; script: AssScript };

export type SubtitleContent = TextContent | ShownPictures;

/** Subtitles drawn over the pictures of an output. */
export interface BurntSubtitles {
  content: SubtitleContent;
  /** Characters without a glyph, which are left out. */
  undrawn: readonly string[];
}

/** A subtitle track of an output. */
export interface PlannedSubtitles {
  codec: SubtitleCodec;
  content: SubtitleContent;
  /** ISO 639-2. */
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
