import type { PreviewFormat, StillFormat } from '../../../contract/analyses.ts';
import type { Size } from '../../ffmpeg/size.ts';

/** Pixel format and colours with which viewers of the image format show the film's colours correctly. */
export interface ImageLook {
  /** ffmpeg's name */
  pixelFormat: 'gray' | 'rgb24' | 'yuv420p' | 'yuv444p' | 'yuvj420p';
  /** Options of the `scale` filter. */
  colour: string;
}

/** Readers of JPEG assume BT.601 in full range (JFIF 1.02), and readers of WebP in limited range (RFC 6386). */
export const looks: Readonly<Record<StillFormat | PreviewFormat, ImageLook>> = {
  jpeg: { pixelFormat: 'yuvj420p', colour: ':out_color_matrix=bt601:out_range=full' },
  png: { pixelFormat: 'rgb24', colour: '' },
  webp: { pixelFormat: 'yuv420p', colour: ':out_color_matrix=bt601:out_range=tv' },
  // This format stores its colour description.
  avif: { pixelFormat: 'yuv420p', colour: ':out_color_matrix=bt709:out_range=tv' },
  mp4: { pixelFormat: 'yuv420p', colour: ':out_color_matrix=bt709:out_range=tv' },
};

/** Luma only, 0 to 255, for measurements. */
export const grayLook: ImageLook = { pixelFormat: 'gray', colour: ':out_range=full' };

const bytesOfPixel = { gray: 1, rgb24: 3, yuv420p: 1.5, yuv444p: 3, yuvj420p: 1.5 } as const;

/** Bytes of a picture before it is encoded. */
export function rawBytes({ width, height }: Size, { pixelFormat }: ImageLook): number {
  return width * height * bytesOfPixel[pixelFormat];
}
