import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { type VideoCodec, videoCodecFacts } from '../../contract/video-codecs.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { EditRequest } from './edits/picture-edit.ts';
import { pictureEdits } from './edits/table.ts';
import { chooseSlices } from './ffv1-slices.ts';
import { findLevelProblem, mostBitrateOf } from './levels.ts';
import { shownSize } from './shown-size.ts';
import { planTiming, timingStart } from './video-timing.ts';

/** Largest picture of an output in pixels: 4096x2160 and slightly more. */
export const maxOutputPixels = 9_000_000;

/** Number of frames encoded in parallel. More do not speed up small pictures and cost memory for large ones. */
function chooseThreads({ width, height }: Size): number {
  const pixels = width * height;
  if (pixels <= 320 * 180) return 1;
  return pixels <= 1280 * 720 ? 3 : 6;
}

/** Plans the source's pictures without edits, with the encoder's settings. */
function planUnedited({ settings, source }: EditRequest): VideoPlan {
  const { codec, crf, bitrate, maxBitrate, level, speed, keyframeSeconds } = settings;
  const { coded, pixelAspect, pixelFormat, colour, isFullRange } = source;
  const timing = planTiming(undefined, source);
  return {
    settings,
    codec,
    view: {
      ...{ turn: 0, isTurned: source.isTurned ?? false, window: undefined, kept: coded, pixelAspect },
      shown: shownSize(source),
    },
    shape: { size: coded, scaled: coded },
    toneMap: undefined,
    pixelFormat,
    pixelAspect,
    crf,
    bitrate,
    maxBitrate,
    ...(level !== undefined && { level }),
    speed,
    timing,
    cut: { filmStart: timingStart(timing), from: 0, to: undefined },
    fade: undefined,
    keyframeSeconds,
    threads: chooseThreads(coded),
    fields: { kind: 'none' },
    colour,
    isFromRgb: false,
    isFromFullRange: false,
    isFullRange,
  };
}

/** Decides all parameters of an output's pictures. */
export function planVideo(request: EditRequest): VideoPlan {
  const { settings } = request;
  const edited = pictureEdits.reduce(
    (plan, edit) => ({ ...plan, ...edit.plan?.(request, plan) }),
    planUnedited(request),
  );
  const { codec, shape, pixelFormat, timing, maxBitrate } = edited;
  const levelled = { ...settings, pixelFormat, size: shape.size, timing };
  const refusal = sizeProblem(codec, shape.size, pixelFormat) ?? edited.refusal ?? findLevelProblem(levelled);
  return {
    ...edited,
    maxBitrate: maxBitrate ?? mostBitrateOf(levelled),
    threads: chooseThreads(shape.size),
    ...(refusal !== undefined && { refusal }),
  };
}

function sizeProblem(codec: VideoCodec, size: Size, pixelFormat: string): string | undefined {
  const { width, height } = size;
  if (width * height > maxOutputPixels) {
    return `${width}x${height} pixels are more than the limit of ${maxOutputPixels} pixels`;
  }
  if (codec === 'ffv1' && chooseSlices(size, pixelFormat) === undefined) {
    return `pictures of ${width}x${height} pixels cannot be divided into the slices of ffv1; use another size`;
  }
  const { leastSize: least } = videoCodecFacts(codec);
  return least !== undefined && (width < least.width || height < least.height)
    ? `${codec} needs pictures of at least ${least.width}x${least.height} pixels, and these would have ${width}x${height}`
    : undefined;
}

/** Throws if pictures would have to be encoded but cannot be. */
export function checkEncodable(video: VideoPlan | undefined, naming: OutputNaming): void {
  if (video?.refusal === undefined || video.isCopied === true) return;
  const { refusal, notCopied } = video;
  const whyNot = notCopied === undefined ? '' : `. Its pictures are not copied, because ${notCopied}`;
  throw new UnsupportedOutput(naming, refusal + whyNot);
}
