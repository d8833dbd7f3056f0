import type { OutputSettings, VideoSettings } from '../../../contract/output-settings.ts';
import type { VideoPlan, WatermarkImage } from '../../plan/video-plan.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';

/** Everything that edits are planned from. */
export interface EditRequest {
  settings: VideoSettings;
  output: OutputSettings;
  source: PictureSource;
  /** Seconds on the source's clock at which the output's sound begins; undefined without sound. */
  soundStart: number | undefined;
  watermarkImage?: WatermarkImage | undefined;
}

/** What lies over the pictures of an output: numbers of ffmpeg's inputs, and the path of a subtitle script. */
export interface Overlays {
  watermark: number | undefined;
  canvas: number | undefined;
  script: string | undefined;
}

export interface FrameContext {
  source: PictureSource;
  overlays: Overlays;
  /** Prefix for the labels of an output's filter chains. */
  label: string;
}

/**
 * One edit of an output's pictures. `table.ts` lists all edits in their order. An edit has filters at one of three places: on the source's
 * pictures, on the picture just after it is scaled, or on the whole frame of the output.
 */
export interface PictureEdit {
  /**
   * Its part of the plan (pure), from the request and the plan of the edits before it. Throws `UnsupportedOutput` for an edit that
   * these pictures cannot have.
   */
  plan?(request: EditRequest, plan: VideoPlan): Partial<VideoPlan>;
  onSource?(plan: VideoPlan, source: PictureSource): string[];
  onScaled?(plan: VideoPlan): string[];
  /** The filter chains of the frame with those of the edit added; the last chain stays open. */
  onFrame?(chains: string[][], plan: VideoPlan, context: FrameContext): string[][];
  /** Why packets cannot be copied with this edit, as a sentence without its end; undefined if they can (pure). */
  obstacleToCopy(plan: VideoPlan, request: Pick<EditRequest, 'settings' | 'source'>): string | undefined;
  /** Bytes of memory that its filters take (pure). */
  memory?(plan: VideoPlan): number;
}

/** Adds filters to the last chain (pure). */
export function appendFilters(chains: readonly string[][], filters: readonly string[]): string[][] {
  return [...chains.slice(0, -1), [...(chains.at(-1) ?? []), ...filters]];
}

/** Gives what comes out of the last chain a label (pure). */
export function labelLast(chains: readonly string[][], label: string): string[][] {
  const last = chains.at(-1) ?? [];
  return [...chains.slice(0, -1), [...last.slice(0, -1), `${last.at(-1) ?? 'null'}[${label}]`]];
}
