import {
  type OutputNaming,
  type OutputSettings,
  UnsupportedOutput,
  type VideoSettings,
} from '../../../contract/output-settings.ts';
import { type VideoCodec, videoCodecFacts } from '../../../contract/video-codecs.ts';
import { type ColourTags, hdTelevision } from './colour-tags.ts';
import { isHighDynamicRange, planRange } from './dynamic-range.ts';
import { cutTiming, type FilmCut, type PictureFade, planFilmCut, planPictureFade } from './film-cut.ts';
import { keepsShape } from './kept-pictures.ts';
import { checkPad } from './pad.ts';
import type { Mastering } from './mastering.ts';
import type { CopyDecision } from '../copy/copy-plan.ts';
import type { PictureSource } from './picture-source.ts';
import { type PictureShape, planShape, type Size } from './picture-size.ts';
import { type PictureView, planView } from './picture-view.ts';
import type { ToneMap } from './tone-map.ts';
import type { Rational } from './rational.ts';
import { planTiming, type VideoTiming } from './video-timing.ts';
import type { WatermarkPlan } from './watermark.ts';

/** Pixels of an output's picture: 4096x2160. */
export const maxOutputPixels = 9_000_000;

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
  /** `flagged`: the pictures that say they are interlaced. */
  deinterlace: 'none' | 'flagged' | 'all';
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
}

/** Encoders of frames side by side; more bring nothing to small pictures, and memory to large ones. */
function chooseThreads({ width, height }: Size): number {
  const pixels = width * height;
  if (pixels <= 320 * 180) return 1;
  return pixels <= 1280 * 720 ? 3 : 6;
}

function outputColour(source: PictureSource, toneMap: ToneMap | undefined, isFromRgb: boolean): ColourTags {
  if (toneMap !== undefined) return hdTelevision;
  if (!isFromRgb) return source.colour;
  return isHighDynamicRange(source) ? { ...source.colour, space: 'bt2020nc' } : hdTelevision;
}

/** Decides all of an output's pictures (pure). `soundStart`: where on the source's clock its sound begins, if it has any. */
export function planVideo(
  settings: VideoSettings,
  naming: OutputNaming,
  source: PictureSource,
  soundStart: number | undefined,
  { trim = {}, fade }: Pick<OutputSettings, 'trim' | 'fade'> = {},
): VideoPlan {
  const { codec, crf, bitrate, maxBitrate, speed, keyframeSeconds, deinterlace } = settings;
  const view = planView(settings, naming, source);
  const isShapeKept = keepsShape(settings);
  const shape = isShapeKept ? { size: view.kept, scaled: view.kept } : planShape(settings, view.shown);
  const { width, height } = shape.size;
  if (width * height > maxOutputPixels) {
    throw new UnsupportedOutput(naming, `${width}x${height} pixels are more than the ${maxOutputPixels} of an output`);
  }
  const { leastSide = 0 } = videoCodecFacts(codec);
  if (Math.min(width, height) < leastSide) {
    throw new UnsupportedOutput(
      naming,
      `${codec} is made of pictures of ${leastSide}x${leastSide} pixels or more, and these would have ${width}x${height}`,
    );
  }
  const { pixelFormat, toneMap, isKept } = planRange(settings, naming, source);
  checkPad(naming, shape.pad, isHighDynamicRange(source) && toneMap === undefined);
  const whole = planTiming(settings, source, soundStart);
  const timing = cutTiming(whole, trim, naming);
  if (codec === 'av1' && keyframeSeconds !== undefined && timing.kind === 'variable') {
    throw new UnsupportedOutput(
      naming,
      'the rate of the source varies, and av1 has a keyframeInterval at a constant fps only; give it an fps',
    );
  }
  const isFromRgb = !isKept && source.isRgb;
  const isMasteringKept = source.mastering !== undefined && (codec === 'hevc' || codec === 'av1');
  const isInterlaced = deinterlace === 'auto' && source.isInterlaced;
  return {
    ...{ codec, view, shape, toneMap, crf, bitrate, maxBitrate, speed, keyframeSeconds, pixelFormat },
    pixelAspect: isShapeKept ? view.pixelAspect : { num: 1, den: 1 },
    timing,
    cut: planFilmCut(whole, timing, trim),
    fade: fade && planPictureFade(fade, timing, naming),
    threads: chooseThreads(shape.size),
    deinterlace: deinterlace === true ? 'all' : isInterlaced ? 'flagged' : 'none',
    colour: outputColour(source, toneMap, isFromRgb),
    isFromRgb,
    ...(toneMap === undefined && isMasteringKept && { mastering: source.mastering }),
    isFromFullRange: !isKept && source.isFullRange,
    isFullRange: isKept && source.isFullRange,
  };
}
