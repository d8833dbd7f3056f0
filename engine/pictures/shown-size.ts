import type { Size } from '../ffmpeg/size.ts';
import type { PictureStream } from '../source/pictures/picture-source.ts';
import { type Rational, valueOf } from '../ffmpeg/rational.ts';

/** Size in square pixels. The lines of the source keep their number; in turned pictures, these are the columns. */
export function squared({ width, height }: Size, pixelAspect: Rational, isTurned: boolean): Size {
  const aspect = valueOf(pixelAspect);
  // A more extreme aspect ratio comes from a damaged header.
  if (aspect <= 0.1 || aspect >= 10) return { width, height };
  return isTurned ? { width, height: Math.round(height / aspect) } : { width: Math.round(width * aspect), height };
}

/** Size at which a player shows a source, in square pixels. */
export function shownSize({
  coded,
  pixelAspect,
  isTurned,
}: Pick<PictureStream, 'coded' | 'pixelAspect' | 'isTurned'>): Size {
  return squared(coded, pixelAspect, isTurned === true);
}
