import type { Size } from '../ffmpeg/size.ts';
import type { PictureStream } from '../source/pictures/picture-source.ts';
import { type Rational, valueOf } from '../ffmpeg/rational.ts';

export function squared({ width, height }: Size, pixelAspect: Rational): Size {
  const aspect = valueOf(pixelAspect);
  // A more extreme aspect ratio comes from a damaged header.
  const isUsable = aspect > 0.1 && aspect < 10;
  return { width: Math.round(width * (isUsable ? aspect : 1)), height };
}

/** Size at which a player shows a source, in square pixels. */
export function shownSize({ coded, pixelAspect }: Pick<PictureStream, 'coded' | 'pixelAspect'>): Size {
  return squared(coded, pixelAspect);
}
