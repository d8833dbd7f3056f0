import type { Size } from '../../ffmpeg/size.ts';
import { pictureGuards } from '../../ffmpeg/guards.ts';

/** Input options of a file of decoded pictures. */
export function rawInputOptions({ width, height }: Size, pixelFormat: string, fps = '1'): string[] {
  return [
    ...pictureGuards('rawvideo', 'rawvideo'),
    ...['-pixel_format', pixelFormat, '-video_size', `${width}x${height}`, '-framerate', fps],
  ];
}
