import type { FileSettings, VideoSettings } from '../../../contract/file-settings.ts';
import type { Rational } from '../../ffmpeg/rational.ts';
import type { VideoPlan, WatermarkImage } from '../../plan/video-plan.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';

/** Inputs for planning edits. */
export interface EditRequest {
  settings: VideoSettings;
  output: FileSettings;
  source: PictureSource;
  watermarkImage?: WatermarkImage | undefined;
  /** Constant rate that its texts and fades need. The frame rate of the request overrides it. */
  drawnRate?: Rational | undefined;
}

/** Overlays of an output's pictures: numbers of ffmpeg's inputs, and the path of a subtitle script. */
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
   * Plans this edit from the request and the plan of earlier edits. Throws `UnsupportedOutput` if the pictures cannot
   * have the edit.
   */
  plan?(request: EditRequest, plan: VideoPlan): Partial<VideoPlan>;
  onSource?(plan: VideoPlan, source: PictureSource): string[];
  onScaled?(plan: VideoPlan): string[];
  /** Adds the edit's filters to the frame's filter chains. The last chain stays open. */
  onFrame?(chains: string[][], plan: VideoPlan, context: FrameContext): string[][];
  /** Reason why packets cannot be copied with this edit, as a sentence without its full stop; undefined if they can. */
  obstacleToCopy(plan: VideoPlan, request: Pick<EditRequest, 'settings' | 'source'>): string | undefined;
  /** Bytes of memory that its filters need. */
  memory?(plan: VideoPlan): number;
}

/** Adds filters to the last chain. */
export function appendFilters(chains: readonly string[][], filters: readonly string[]): string[][] {
  return [...chains.slice(0, -1), [...(chains.at(-1) ?? []), ...filters]];
}

/** Labels the output of the last chain. */
export function labelLast(chains: readonly string[][], label: string): string[][] {
  const last = chains.at(-1) ?? [];
  return [...chains.slice(0, -1), [...last.slice(0, -1), `${last.at(-1) ?? 'null'}[${label}]`]];
}
