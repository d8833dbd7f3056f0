import type { Rational } from '../ffmpeg/rational.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { Turn } from '../ffmpeg/turn.ts';
import type { FieldOrder, Scan } from '../source/pictures/scan/judge-scan.ts';
import type { Orientation } from '../formats/jpeg/orientation.ts';
import type { ImageKind } from '../source/still-image.ts';
import type { VideoSettings } from '../../contract/file-settings.ts';
import type { VideoCodec } from '../../contract/video-codecs.ts';
import type { ColourTags } from '../ffmpeg/colour-tags.ts';
import type { Mastering } from '../source/pictures/mastering.ts';
import type { CopyDecision } from './copy-decision.ts';
import type { SubtitleContent } from './subtitle-plan.ts';

/** When the pictures of an output are shown. */
export type VideoTiming =
  /**
   * Picture n is at exactly n/fps. The first one shows the source at `startSeconds` of its own clock. In a segment,
   * `skipped` counts the pictures of the film before it: fades and subtitles run on the film's clock.
   */
  | { kind: 'constant'; fps: Rational; frames: number; startSeconds: number; skipped?: number }
  /** Each picture keeps its time in ticks of the source's clock, except that the first is shown from `startTicks`. */
  | {
      kind: 'variable';
      timeBase: Rational;
      stamps: readonly number[];
      startTicks: number;
      endTicks: number;
      /**
       * Ticks of one picture, if pictures of a constant rate are missing. Decoders invent some of those, at other
       * times than the packets'.
       */
      gridTicks?: number;
    };

/** Part of a film that an output has, in seconds of the uncut film. */
export interface FilmCut {
  /** Start of the film on the source's clock. */
  filmStart: number;
  from: number;
  /** Undefined: to the end of pictures and sound. */
  to: number | undefined;
}

/** Fades of the pictures from and to black, in seconds of the output. */
export interface PictureFade {
  in: number;
  out: number;
  /** Length of the whole output. */
  length: number;
}

/** A colour with 8 bits each of red, green and blue, in 24 bits. */
export type Rgb = number;

/** How a source's pictures become those of an output. All values are pixels. */
export interface PictureShape {
  /** Size of the output. */
  size: Size;
  /** Size of the scaled picture. Whatever exceeds `size` is cropped. */
  scaled: Size;
  /** If the picture is smaller than `size`: a blurred copy behind it, scaled to this size and cropped. */
  background?: Size;
  /** Or the colour of the bars beside it. */
  pad?: Rgb;
}

/** A rectangle of pixels. */
export interface PixelWindow extends Size {
  left: number;
  top: number;
}

/** Visible part of the source's pictures in an output. */
export interface PictureView {
  /** Degrees clockwise, applied after the source's own rotation. */
  turn: Turn;
  /** True if the lines of the source have become columns. */
  isTurned: boolean;
  /** Crop of the turned pictures in the source's own pixels; undefined: no crop. */
  window: PixelWindow | undefined;
  /** Remaining size in the source's own pixels. */
  kept: Size;
  /** Width of such a pixel divided by its height. */
  pixelAspect: Rational;
  /** Remaining size in square pixels. */
  shown: Size;
}

/** Mapping of HDR pictures to SDR, in zscale's names. */
export interface ToneMap {
  transfer: 'smpte2084' | 'arib-std-b67';
  primaries: string;
  matrix: string;
  range: 'limited' | 'full';
  /** Brightest value that stays distinct from white, in units of 100 cd/m². */
  peak: number;
}

/** Treatment of interlaced pictures. */
export type FieldPlan =
  | { kind: 'none' }
  /** Deinterlaces pictures flagged as interlaced, by the field order of each. */
  | { kind: 'flagged' }
  /** Deinterlaces all pictures; undefined: by the field order of each. */
  | { kind: 'all'; order: FieldOrder | undefined }
  /** Deinterlaces pictures that look interlaced, each judged separately. */
  | { kind: 'apparent'; order: FieldOrder }
  /** Recombines the fields of each frame and drops the repeated picture of every five. */
  | { kind: 'inverse telecine'; order: FieldOrder; from: Rational };

/** A fetched image that can be decoded to its end. */
export interface WatermarkImage {
  path: string;
  kind: ImageKind;
  /** Orientation of the image. The size is that of the upright image. */
  orientation: Orientation;
  width: number;
  height: number;
}

/** Position of an image over the pictures of an output, in output pixels. */
export interface WatermarkPlan extends Size {
  image: WatermarkImage;
  x: number;
  y: number;
  opacity: number;
}

/** Consecutive pictures of an output that have their own rate factor: from `from`, before `to`. */
export interface SceneRate {
  from: number;
  to: number;
  crf: number;
}

/** All parameters of the pictures of one output. */
export interface VideoPlan extends CopyDecision {
  /** The request. Edits that decide nothing read their strength here. */
  settings: VideoSettings;
  codec: VideoCodec;
  view: PictureView;
  shape: PictureShape;
  /** Undefined: colours stay unchanged. */
  toneMap: ToneMap | undefined;
  /** ffmpeg's name. */
  pixelFormat: string;
  /** Width of a pixel divided by its height. */
  pixelAspect: Rational;
  crf: number | undefined;
  /** All pictures, scene by scene, counted from the first of `timing`. Undefined: all have the rate factor `crf`. */
  scenes?: readonly SceneRate[];
  /** Average kbit/s, instead of `crf`. */
  bitrate: number | undefined;
  /** kbit/s. */
  maxBitrate: number | undefined;
  /** Decoder level, such as `4.1`. */
  level?: string;
  speed: VideoSettings['speed'];
  timing: VideoTiming;
  /** Part of the film that the pictures cover. */
  cut: FilmCut;
  /** Undefined: no fade. */
  fade: PictureFade | undefined;
  /** Undefined: at scene changes, and at least every ten seconds. */
  keyframeSeconds: number | undefined;
  /**
   * Encoder threads. The encoded pictures depend on this number, so it follows from the picture size, not from the
   * machine.
   */
  threads: number;
  fields: FieldPlan;
  /** Measured scan of the source. */
  sourceScan?: Scan['kind'] | undefined;
  /** Colour tags of the file; a tag that the source lacks is undefined. */
  colour: ColourTags;
  /** The source's red, green and blue become the colours of HD television. */
  isFromRgb: boolean;
  /** The source's full range becomes the limited one. */
  isFromFullRange: boolean;
  /** HDR10 metadata that the output keeps, in a codec that holds it. */
  mastering?: Mastering;
  /** The output keeps the source's full range. */
  isFullRange: boolean;
  watermark?: WatermarkPlan;
  drawnSubtitles?: SubtitleContent;
  /** Reason why the pictures cannot be encoded here, without the end of its sentence. Copied pictures need no encoder. */
  refusal?: string;
}
