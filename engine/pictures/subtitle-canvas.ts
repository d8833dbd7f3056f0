import { subtitlePictureGuards } from '../ffmpeg/guards.ts';
import { sourceZeroSeconds } from '../subtitles/subtitle-pictures.ts';
import { matrixOf } from '../ffmpeg/colour-tags.ts';
import { overlayFormatOf, transparentFormat } from '../ffmpeg/overlay-format.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { PictureStream } from '../source/pictures/picture-source.ts';
import { labelLast } from './edits/picture-edit.ts';
import { shownSize } from './shown-size.ts';
import { skippedPictures, tickOf } from './video-timing.ts';
import { rationalText, valueOf } from '../ffmpeg/rational.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { SubtitlePictures } from '../source/subtitle-track.ts';
import type { ShownPictures } from '../plan/subtitle-plan.ts';

/** Lines of the largest standard definition picture. */
const standardLines = 576;

/** Position of a subtitle canvas on the pictures of an output. */
interface CanvasPlace extends Size {
  x: number;
  y: number;
}

/** Default canvas for subtitles that state none: that of DVDs and standard definition broadcasts. */
function canvasOf({ canvas, codec }: SubtitlePictures, { coded }: Pick<PictureStream, 'coded'>): Size {
  if (canvas !== undefined) return canvas;
  const isStandard = coded.width <= 720 && coded.height <= standardLines;
  return codec === 'dvd_subtitle' && isStandard ? coded : { width: 720, height: standardLines };
}

const evenNear = (pixels: number): number => 2 * Math.round(pixels / 2);

/**
 * Places the canvas as large as it fits. In standard definition, the canvas has the shape of the film's picture,
 * whatever its pixel aspect. In HD its pixels are square, and a film without black bars is lower than the canvas.
 */
export function placeCanvas(
  canvas: Size,
  source: Pick<PictureStream, 'coded' | 'pixelAspect' | 'isTurned'>,
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

/** Pixels of a DVD canvas, for files that state a smaller one. */
const leastPixels = 720 * standardLines;

/** ffmpeg options for such a subtitle file. */
export function canvasInput(
  { pictures }: ShownPictures,
  source: Pick<PictureStream, 'coded'>,
): { path: string; options: readonly string[] } {
  const { width, height } = canvasOf(pictures, source);
  const guards = subtitlePictureGuards(Math.max(leastPixels, width * height));
  return { path: pictures.path, options: ['-canvas_size', `${width}x${height}`, ...guards] };
}

/** Timestamps of pictures and of subtitles are both rounded to milliseconds. */
const roundingSeconds = 0.001;

/** Clock of the pictures in ticks, and the tick of the last picture. */
function clockOf({ timing }: VideoPlan): { tick: string; perSecond: string; last: number } {
  const { num, den } = tickOf(timing);
  const last =
    timing.kind === 'constant'
      ? skippedPictures(timing) + timing.frames - 1
      : (timing.stamps.at(-1) ?? 0) - timing.startTicks;
  return { tick: `${num}/${den}`, perSecond: `${den}/${num}`, last };
}

/**
 * Puts subtitles on the pictures' clock: each change half a tick before the first picture at or after it. ffmpeg
 * repeats the previous content just before a change, and `overlay` would take the first of two simultaneous ones. A
 * change after the last picture would repeat that picture.
 */
function timingFilters(plan: VideoPlan, { window }: ShownPictures): string[] {
  const { tick, perSecond, last } = clockOf(plan);
  const start = (sourceZeroSeconds + window.start + roundingSeconds).toFixed(6);
  return [
    `setpts=(ceil((PTS*TB-${start})*${perSecond})-0.5)*${tick}/TB`,
    ...[`settb=${tick}/2`, `trim=end_pts=${2 * last + 1}`],
  ];
}

/** Filter chains of a picture, extended by those that overlay the subtitles of input number `input`. */
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
      // Scales premultiplied by transparency. Otherwise the black of invisible pixels would show at the edges.
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
      `settb=${rationalText(tickOf(plan.timing))}`,
    ],
  ];
}
