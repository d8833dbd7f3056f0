import type { Rational } from '../ffmpeg/rational.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { FieldOrder, Scan } from '../source/pictures/scan/judge-scan.ts';
import type { Orientation } from '../formats/jpeg/orientation.ts';
import type { ImageKind } from '../formats/still-image.ts';
import type { VideoSettings } from '../../contract/file-settings.ts';
import type { VideoCodec } from '../../contract/video-codecs.ts';
import type { ColourTags } from '../ffmpeg/colour-tags.ts';
import type { Mastering } from '../source/pictures/mastering.ts';
import type { CopyDecision } from './copy-decision.ts';
import type { SubtitleContent } from './subtitle-plan.ts';

/** When the pictures of an output are shown. */
export type VideoTiming =
  /** Picture n at n/fps exactly, so many of them; the first is what the source shows at `startSeconds` of its own clock. */
  | { kind: 'constant'; fps: Rational; frames: number; startSeconds: number }
  /** Each as the source has it, in ticks of its clock, but for the first, which is shown from `startTicks` on. */
  | { kind: 'variable'; timeBase: Rational; stamps: readonly number[]; startTicks: number; endTicks: number };

/** Which part of a film an output has, in seconds of the film as it would be without a cut. */
export interface FilmCut {
  /** Where on the source's clock that film begins. */
  filmStart: number;
  from: number;
  /** Undefined: to its end, of pictures and of sound. */
  to: number | undefined;
}

/** How the pictures come out of black, and go into it. Seconds of the output. */
export interface PictureFade {
  in: number;
  out: number;
  /** of the whole output */
  length: number;
}

/** A colour: 0 to 255 each of red, green and blue, as one number of 24 bits. */
export type Rgb = number;

/** How the pictures of a source become those of an output. All figures are pixels. */
export interface PictureShape {
  /** what comes out */
  size: Size;
  /** The picture, scaled; what is larger than `size` is cut off at its edges. */
  scaled: Size;
  /** Where the picture is smaller than `size`: what is behind it, a blurred copy that is scaled to this and cut. */
  background?: Size;
  /** Or: the colour of strips beside it. */
  pad?: Rgb;
}

/** A rectangle of pixels. */
export interface PixelWindow extends Size {
  left: number;
  top: number;
}

/** What of the source's pictures is seen in an output. */
export interface PictureView {
  /** Degrees clockwise, of pictures that are upright by what the source says. */
  turn: 0 | 90 | 180 | 270;
  /** Of the pictures so turned, in the source's own pixels. Undefined: all of them. */
  window: PixelWindow | undefined;
  /** What is left, in the source's own pixels. */
  kept: Size;
  /** width of one of these over its height */
  pixelAspect: Rational;
  /** What is left, with square pixels. */
  shown: Size;
}

/** How pictures in high dynamic range become those of ordinary screens: all names are zscale's own. */
export interface ToneMap {
  transfer: 'smpte2084' | 'arib-std-b67';
  primaries: string;
  matrix: string;
  range: 'limited' | 'full';
  /** The brightest that is kept apart from white, in units of 100 cd/m². */
  peak: number;
}

/** What is done about the fields of pictures. */
export type FieldPlan =
  | { kind: 'none' }
  /** Of the pictures that say they are interlaced, by what each says of its order. */
  | { kind: 'flagged' }
  /** Of all; undefined: in the order that each says. */
  | { kind: 'all'; order: FieldOrder | undefined }
  /** Of those that look so, each by itself. */
  | { kind: 'apparent'; order: FieldOrder }
  /** Fields of one moment are brought together again, and the picture that is there twice in five falls away. */
  | { kind: 'inverse telecine'; order: FieldOrder; from: Rational };

/** An image that was fetched and can be decoded to its end. */
export interface WatermarkImage {
  path: string;
  kind: ImageKind;
  /** How it was held; the size is that of the upright image. */
  orientation: Orientation;
  width: number;
  height: number;
}

/** Where an image lies over the pictures of an output, in their pixels. */
export interface WatermarkPlan extends Size {
  image: WatermarkImage;
  x: number;
  y: number;
  opacity: number;
}

/** Every figure of the pictures of one output. */
export interface VideoPlan extends CopyDecision {
  codec: VideoCodec;
  view: PictureView;
  shape: PictureShape;
  /** Undefined: colours stay what they are. */
  toneMap: ToneMap | undefined;
  /** ffmpeg's name */
  pixelFormat: string;
  /** width of a pixel over its height */
  pixelAspect: Rational;
  crf: number | undefined;
  /** kbit/s on average, in place of it */
  bitrate: number | undefined;
  /** kbit/s */
  maxBitrate: number | undefined;
  /** Of decoders that are to play it, such as `4.1`. */
  level?: string;
  speed: VideoSettings['speed'];
  timing: VideoTiming;
  /** Which part of the film they are. */
  cut: FilmCut;
  /** Undefined: they do not fade. */
  fade: PictureFade | undefined;
  /** Undefined: where scenes change, and at least every ten seconds. */
  keyframeSeconds: number | undefined;
  /** Of the encoder. What comes out depends on it, so it follows from the picture, and not from the machine. */
  threads: number;
  fields: FieldPlan;
  /** What the source was found to be. */
  sourceScan?: Scan['kind'] | undefined;
  /** What the file says of its colours; undefined where the source does not say. */
  colour: ColourTags;
  /** Its red, green and blue become the colours of HD television. */
  isFromRgb: boolean;
  /** Its full range becomes the limited one. */
  isFromFullRange: boolean;
  /** Of HDR10 that stays so, in a codec that says it. */
  mastering?: Mastering;
  /** What comes out has the source's full range. */
  isFullRange: boolean;
  watermark?: WatermarkPlan;
  drawnSubtitles?: SubtitleContent;
  /** Why they are not encoded here, as a sentence without its end. What is copied needs no encoder. */
  refusal?: string;
}
