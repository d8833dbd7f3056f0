import type { VideoSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { PictureStream } from '../source/pictures/picture-source.ts';
import { type Rational, valueOf } from '../ffmpeg/rational.ts';
import type { PictureView, PixelWindow } from '../plan/video-plan.ts';

/** Pixels that are left at least: two of each side are what the smallest picture with colour has. */
const leastSide = 2;

function planWindow({ crop = {} }: VideoSettings, naming: OutputNaming, turned: Size): PixelWindow | undefined {
  const { top = 0, right = 0, bottom = 0, left = 0 } = crop;
  if (top + right + bottom + left === 0) return undefined;
  const window = { left, top, width: turned.width - left - right, height: turned.height - top - bottom };
  if (window.width >= leastSide && window.height >= leastSide) return window;
  throw new UnsupportedOutput(
    naming,
    `its crop leaves nothing of the ${turned.width}x${turned.height} pixels there are`,
  );
}

/** What a player shows of a source, with square pixels (pure). */
export function shownSize({ coded, pixelAspect }: Pick<PictureStream, 'coded' | 'pixelAspect'>): Size {
  return squared(coded, pixelAspect);
}

function squared({ width, height }: Size, pixelAspect: Rational): Size {
  const aspect = valueOf(pixelAspect);
  // An aspect that makes a picture wider than any screen is a damaged header.
  const isUsable = aspect > 0.1 && aspect < 10;
  return { width: Math.round(width * (isUsable ? aspect : 1)), height };
}

/** How pictures are turned and cut before anything else is done to them (pure). */
export function planView(
  settings: VideoSettings,
  naming: OutputNaming,
  { coded, pixelAspect }: Pick<PictureStream, 'coded' | 'pixelAspect'>,
): PictureView {
  const { rotate: turn = 0 } = settings;
  const isLying = turn === 90 || turn === 270;
  const turned = isLying ? { width: coded.height, height: coded.width } : coded;
  const window = planWindow(settings, naming, turned);
  const kept = window === undefined ? turned : { width: window.width, height: window.height };
  const aspect = isLying ? { num: pixelAspect.den, den: pixelAspect.num } : pixelAspect;
  return { turn, window, kept, pixelAspect: aspect, shown: squared(kept, aspect) };
}

const turnFilters: Record<PictureView['turn'], string[]> = {
  0: [],
  90: ['transpose=dir=clock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=dir=cclock'],
};

/**
 * Of most films several pixels share their colour, and a cut between these would move it. So each gets its own before an odd cut.
 */
function separateColours(pixelFormat: string): string[] {
  const [, full, depth] = /^yuv(j?)4[0-4][0-2]p((?:\d+(?:le|be))?)$/.exec(pixelFormat) ?? [];
  return full === undefined ? [] : [`format=yuv${full}444p${depth}`];
}

/** ffmpeg's filters for it (pure). `pixelFormat`: of the source. */
export function viewFilters({ turn, window }: PictureView, pixelFormat: string): string[] {
  if (window === undefined) return turnFilters[turn];
  const { left, top, width, height } = window;
  const isOdd = left % 2 === 1 || top % 2 === 1;
  return [
    ...turnFilters[turn],
    ...(isOdd ? separateColours(pixelFormat) : []),
    `crop=w=${width}:h=${height}:x=${left}:y=${top}:exact=1`,
  ];
}
