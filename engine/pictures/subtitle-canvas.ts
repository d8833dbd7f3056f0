import { subtitlePictureGuards } from '../ffmpeg/guards.ts';
import { sourceZeroSeconds } from '../subtitles/subtitle-pictures.ts';
import { matrixOf } from '../ffmpeg/colour-tags.ts';
import { overlayFormatOf, transparentFormat } from '../ffmpeg/overlay-format.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { PictureStream } from '../source/pictures/picture-source.ts';
import { labelLast } from './edits/picture-edit.ts';
import { shownSize } from './shown-size.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { SubtitlePictures } from '../source/subtitle-track.ts';
import type { ShownPictures } from '../plan/subtitle-plan.ts';

/** Lines of the largest picture of television before HD. */
const standardLines = 576;

/** Where on the pictures of an output the canvas of some subtitles lies. */
interface CanvasPlace extends Size {
  x: number;
  y: number;
}

/** What subtitles that do not say it lie on: pictures of a DVD, or of broadcasts before HD. */
function canvasOf({ canvas, codec }: SubtitlePictures, { coded }: Pick<PictureStream, 'coded'>): Size {
  if (canvas !== undefined) return canvas;
  const isStandard = coded.width <= 720 && coded.height <= standardLines;
  return codec === 'dvd_subtitle' && isStandard ? coded : { width: 720, height: standardLines };
}

const evenNear = (pixels: number): number => 2 * Math.round(pixels / 2);

/**
 * The whole canvas, as large as it fits (pure). That of television before HD has the shape of the film's picture, whatever that of its pixels is; those
 * of HD have square ones, and a film without its black bars is less high than they are.
 */
export function placeCanvas(
  canvas: Size,
  source: Pick<PictureStream, 'coded' | 'pixelAspect'>,
  { shape: { size }, pixelAspect }: Pick<VideoPlan, 'shape' | 'pixelAspect'>,
): CanvasPlace {
  const film = shownSize(source);
  const { width, height } = canvas.height <= standardLines ? film : canvas;
  const shownWidth = size.width * valueOf(pixelAspect);
  const scale = Math.min(shownWidth / width, size.height / height);
  const fit = (part: number, whole: number): number => (whole - part < 2 ? whole : Math.max(2, evenNear(part)));
  const fitted = {
    width: fit((width * scale) / valueOf(pixelAspect), size.width),
    height: fit(height * scale, size.height),
  };
  return {
    ...fitted,
    x: 2 * Math.floor((size.width - fitted.width) / 4),
    y: 2 * Math.floor((size.height - fitted.height) / 4),
  };
}

/** Those of a DVD on a canvas that says less than there is. */
const leastPixels = 720 * standardLines;

/** ffmpeg's options for the file of such subtitles. */
export function canvasInput(
  { pictures }: ShownPictures,
  source: Pick<PictureStream, 'coded'>,
): { path: string; options: readonly string[] } {
  const { width, height } = canvasOf(pictures, source);
  const guards = subtitlePictureGuards(Math.max(leastPixels, width * height));
  return { path: pictures.path, options: ['-canvas_size', `${width}x${height}`, ...guards] };
}

/** Stamps of pictures and of subtitles are rounded to milliseconds, each. */
const roundingSeconds = 0.001;

/** Ticks of the pictures' clock, and the last one with a picture. */
function clockOf({ timing }: VideoPlan): { tick: string; perSecond: string; last: number } {
  const isConstant = timing.kind === 'constant';
  const { num, den } = isConstant ? { num: timing.fps.den, den: timing.fps.num } : timing.timeBase;
  const last = isConstant ? timing.frames - 1 : (timing.stamps.at(-1) ?? 0) - timing.startTicks;
  return { tick: `${num}/${den}`, perSecond: `${den}/${num}`, last };
}

/**
 * Puts subtitles on the clock of the pictures: each change half a tick before the first picture that is not before it. ffmpeg repeats what was shown
 * a moment before the change, and of two at one time `overlay` would take the first. What comes behind the last picture would repeat that.
 */
function timingFilters(plan: VideoPlan, { window }: ShownPictures): string[] {
  const { tick, perSecond, last } = clockOf(plan);
  const start = (sourceZeroSeconds + window.start + roundingSeconds).toFixed(6);
  return [
    `setpts=(ceil((PTS*TB-${start})*${perSecond})-0.5)*${tick}/TB`,
    ...[`settb=${tick}/2`, `trim=end_pts=${2 * last + 1}`],
  ];
}

/** The chains of a picture's filters with those behind them that lay the subtitles of input number `input` over it (pure). */
export function withCanvas(
  chains: string[][],
  plan: VideoPlan,
  source: PictureStream,
  input: number | undefined,
  label: string,
): string[][] {
  const { drawnSubtitles: drawn, pixelFormat } = plan;
  if (drawn?.kind !== 'pictures' || input === undefined) return chains;
  const canvas = canvasOf(drawn.pictures, source);
  const { width, height, x, y } = placeCanvas(canvas, source, plan);
  const isScaled = width !== canvas.width || height !== canvas.height;
  return [
    ...labelLast(chains, `${label}bare`),
    [
      `[${input}:s:0]${timingFilters(plan, drawn).join(',')}`,
      // By their transparency: else the black of pixels that nobody sees would come out at the edges.
      ...(isScaled
        ? [
            ...['format=gbrap', 'premultiply=inplace=1', `scale=w=${width}:h=${height}:flags=lanczos+accurate_rnd`],
            'unpremultiply=inplace=1',
          ]
        : []),
      `scale=out_color_matrix=${matrixOf(plan.colour, plan.shape.size)}:out_range=${plan.isFullRange ? 'pc' : 'tv'}`,
      `format=${transparentFormat(pixelFormat)}[${label}canvas]`,
    ],
    [
      `[${label}bare][${label}canvas]overlay=x=${x}:y=${y}:format=${overlayFormatOf(pixelFormat)}`,
      `settb=${clockOf(plan).tick}`,
    ],
  ];
}
