import type { PictureStream } from './picture-source.ts';

/**
 * True if a run of ffmpeg decoded pictures of no other size than the file states. Otherwise the size changes, and a
 * plan by the stated size would distort them. `inputShapes` are ffmpeg's, before it turns the pictures.
 */
export function isOfStatedSize(
  { coded: { width, height }, isUpright }: Pick<PictureStream, 'coded' | 'isUpright'>,
  inputShapes: ReadonlySet<string>,
): boolean {
  const sizes = [`w:${width} h:${height} `, ...(isUpright ? [] : [`w:${height} h:${width} `])];
  return Array.from(inputShapes).every((shape) => sizes.some((size) => shape.startsWith(size)));
}
