import type { VideoSettings } from '../../contract/file-settings.ts';
import { parseColour } from './pad.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { PictureShape } from '../plan/video-plan.ts';

/** Pictures of which one in four pixels has colour need even sides. */
const even = (side: number): number => Math.max(2, 2 * Math.round(side / 2));
const evenAtLeast = (side: number, least: number): number => Math.max(least, 2 * Math.ceil(side / 2 - 1e-6));

/** Rounding makes no side longer than it is, or than asked for. */
const within = (side: number, is: number, most = Infinity): number =>
  side > Math.min(is, most) ? Math.max(2, side - 2) : side;

function scaleBy({ width, height }: Size, factor: number): Size {
  return { width: even(width * factor), height: even(height * factor) };
}

function cover({ width, height }: Size, box: Size): Size {
  const factor = Math.max(box.width / width, box.height / height);
  return { width: evenAtLeast(width * factor, box.width), height: evenAtLeast(height * factor, box.height) };
}

/** As large as it can be inside of it. */
function inside({ width, height }: Size, box: Size): { fits: Size; isFull: boolean } {
  const near = scaleBy({ width, height }, Math.min(box.width / width, box.height / height));
  const fits = { width: Math.min(near.width, box.width), height: Math.min(near.height, box.height) };
  return { fits, isFull: fits.width === box.width && fits.height === box.height };
}

/** `contain` makes no picture larger than it is, but with a `pad`; the others fill width and height (pure). `shown` has square pixels. */
export function planShape(
  { width, height, fit, pad }: Pick<VideoSettings, 'width' | 'height' | 'fit'> & Partial<Pick<VideoSettings, 'pad'>>,
  shown: Size,
): PictureShape {
  const isOpen = width === undefined || height === undefined;
  if (isOpen || (fit === 'contain' && pad === undefined)) {
    const factor = Math.min(1, (width ?? Infinity) / shown.width, (height ?? Infinity) / shown.height);
    const near = scaleBy(shown, factor);
    const size = {
      width: within(near.width, shown.width, width),
      height: within(near.height, shown.height, height),
    };
    return { size, scaled: size };
  }
  const box = { width: even(width), height: even(height) };
  switch (fit) {
    case 'contain': {
      const { fits, isFull } = inside(shown, box);
      return { size: box, scaled: fits, ...(!isFull && { pad: parseColour(pad ?? 'black') }) };
    }
    case 'stretch':
      return { size: box, scaled: box };
    case 'cover':
      return { size: box, scaled: cover(shown, box) };
    case 'blur': {
      const { fits, isFull } = inside(shown, box);
      return { size: box, scaled: fits, ...(!isFull && { background: cover(shown, box) }) };
    }
  }
}
