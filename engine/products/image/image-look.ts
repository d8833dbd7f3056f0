import type { PreviewFormat, StillFormat } from '../../../contract/analyses.ts';
import type { Size } from '../../ffmpeg/size.ts';

/** Pixel format and colours by which readers of an image show the colours of the film. */
export interface ImageLook {
  /** ffmpeg's name */
  pixelFormat: 'gray' | 'rgb24' | 'yuv420p' | 'yuv444p' | 'yuvj420p';
  /** Options of the filter `scale`. */
  colour: string;
}

/** Readers of JPEG assume BT.601 in full range (JFIF 1.02), and readers of WebP in limited range (RFC 6386). */
export const looks: Readonly<Record<StillFormat | PreviewFormat, ImageLook>> = {
  jpeg: { pixelFormat: 'yuvj420p', colour: ':out_color_matrix=bt601:out_range=full' },
  png: { pixelFormat: 'rgb24', colour: '' },
  webp: { pixelFormat: 'yuv420p', colour: ':out_color_matrix=bt601:out_range=tv' },
  // These say in their file what their values are.
  avif: { pixelFormat: 'yuv420p', colour: ':out_color_matrix=bt709:out_range=tv' },
  mp4: { pixelFormat: 'yuv420p', colour: ':out_color_matrix=bt709:out_range=tv' },
};

/** Lightness alone, from 0 to 255: for measuring. */
export const grayLook: ImageLook = { pixelFormat: 'gray', colour: ':out_range=full' };

const bytesOfPixel = { gray: 1, rgb24: 3, yuv420p: 1.5, yuv444p: 3, yuvj420p: 1.5 } as const;

/** Bytes of a picture before it is encoded. */
export function rawBytes({ width, height }: Size, { pixelFormat }: ImageLook): number {
  return width * height * bytesOfPixel[pixelFormat];
}
