import type { VideoSettings } from '../../../contract/output-settings.ts';

export interface Size {
  width: number;
  height: number;
}

/** How the pictures of a source become those of an output. All figures are pixels. */
export interface PictureShape {
  /** what comes out */
  size: Size;
  /** The picture, scaled; what is larger than `size` is cut off at its edges. */
  scaled: Size;
  /** Where the picture is smaller than `size`: what is behind it, a blurred copy that is scaled to this and cut. */
  background?: Size;
}

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

/** `contain` makes no picture larger than it is; the others fill width and height (pure). `shown` has square pixels. */
export function planShape(
  { width, height, fit }: Pick<VideoSettings, 'width' | 'height' | 'fit'>,
  shown: Size,
): PictureShape {
  if (fit === 'contain' || width === undefined || height === undefined) {
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
    case 'stretch':
      return { size: box, scaled: box };
    case 'cover':
      return { size: box, scaled: cover(shown, box) };
    case 'blur': {
      const inside = scaleBy(shown, Math.min(box.width / shown.width, box.height / shown.height));
      const fits = { width: Math.min(inside.width, box.width), height: Math.min(inside.height, box.height) };
      const isFull = fits.width === box.width && fits.height === box.height;
      return { size: box, scaled: fits, ...(!isFull && { background: cover(shown, box) }) };
    }
  }
}
