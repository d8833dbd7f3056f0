import type { FileSettings, VideoSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { type VideoCodec, videoCodecFacts } from '../../contract/video-codecs.ts';
import { type ColourTags, hdTelevision, isHighDynamicRange } from '../ffmpeg/colour-tags.ts';
import { planRange } from './dynamic-range.ts';
import { cutTiming, planFilmCut, planPictureFade } from './film-cut.ts';
import { findLevelProblem, mostBitrateOf } from './levels.ts';
import { keepsShape } from './kept-pictures.ts';
import { checkPad } from './pad.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { planShape } from './picture-size.ts';
import { planView } from './picture-view.ts';
import { planFields, rateOfFields, toldScan } from './scan/plan-fields.ts';
import { planTiming } from './video-timing.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { ToneMap, VideoPlan, VideoTiming } from '../plan/video-plan.ts';

/** Pixels of an output's picture: 4096x2160. */
export const maxOutputPixels = 9_000_000;

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
  { trim = {}, fade }: Pick<FileSettings, 'trim' | 'fade'> = {},
): VideoPlan {
  const { codec, crf, bitrate, maxBitrate, speed, keyframeSeconds, deinterlace } = settings;
  const view = planView(settings, naming, source);
  const isShapeKept = keepsShape(settings);
  const shape = isShapeKept ? { size: view.kept, scaled: view.kept } : planShape(settings, view.shown);
  const range = planRange(settings, naming, source);
  const { pixelFormat, toneMap, isKept } = range;
  checkPad(naming, shape.pad, isHighDynamicRange(source) && toneMap === undefined);
  const fields = planFields(deinterlace, source);
  const fieldRate = rateOfFields(fields, deinterlace, source);
  const whole = planTiming(settings, source, soundStart, fieldRate);
  const timing = cutTiming(whole, trim, naming);
  const levelled = { ...settings, pixelFormat, size: shape.size, timing };
  const refusal =
    sizeProblem(codec, shape.size) ?? range.refusal ?? keyframeProblem(settings, timing) ?? findLevelProblem(levelled);
  const isFromRgb = !isKept && source.isRgb;
  const isMasteringKept = source.mastering !== undefined && (codec === 'hevc' || codec === 'av1');
  return {
    ...{ codec, view, shape, toneMap, crf, bitrate, speed, keyframeSeconds, pixelFormat },
    maxBitrate: maxBitrate ?? mostBitrateOf(levelled),
    ...(settings.level !== undefined && { level: settings.level }),
    pixelAspect: isShapeKept ? view.pixelAspect : { num: 1, den: 1 },
    timing,
    cut: planFilmCut(whole, timing, trim),
    fade: fade && planPictureFade(fade, timing, naming),
    threads: chooseThreads(shape.size),
    fields,
    sourceScan: deinterlace === false ? undefined : toldScan(source.scan, fieldRate),
    colour: outputColour(source, toneMap, isFromRgb),
    isFromRgb,
    ...(toneMap === undefined && isMasteringKept && { mastering: source.mastering }),
    isFromFullRange: !isKept && source.isFullRange,
    isFullRange: isKept && source.isFullRange,
    ...(refusal !== undefined && { refusal }),
  };
}

function sizeProblem(codec: VideoCodec, { width, height }: Size): string | undefined {
  if (width * height > maxOutputPixels) {
    return `${width}x${height} pixels are more than the ${maxOutputPixels} of an output`;
  }
  const { leastSize: least } = videoCodecFacts(codec);
  return least !== undefined && (width < least.width || height < least.height)
    ? `${codec} is made of pictures of ${least.width}x${least.height} pixels or more, and these would have ${width}x${height}`
    : undefined;
}

function keyframeProblem({ codec, keyframeSeconds }: VideoSettings, { kind }: VideoTiming): string | undefined {
  return codec === 'av1' && keyframeSeconds !== undefined && kind === 'variable'
    ? 'the rate of the source varies, and av1 has a keyframeInterval at a constant fps only; give it an fps'
    : undefined;
}

/** Throws where the pictures of an output would have to be encoded, and are not (pure). */
export function checkEncodable(video: VideoPlan | undefined, naming: OutputNaming): void {
  if (video?.refusal === undefined || video.isCopied === true) return;
  const { refusal, notCopied } = video;
  const whyNot = notCopied === undefined ? '' : `. Its pictures are not copied, because ${notCopied}`;
  throw new UnsupportedOutput(naming, refusal + whyNot);
}
