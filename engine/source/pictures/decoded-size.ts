import type { FinalStatistics } from '../../ffmpeg/statistics.ts';
import { MediaError } from '../../media-error.ts';
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

/**
 * Throws if the pictures change midway. ffmpeg restarts its filters at such a change, and their counts restart with
 * them. In a part of the film after the change, all pictures may be turned that the plan takes for upright.
 * `consequence` ends the sentence.
 */
export function checkConstant(
  { isUpright }: Pick<PictureStream, 'isUpright'>,
  { inputShapes, turnsMidway, hasQuarterTurns }: FinalStatistics,
  consequence: string,
): void {
  if (inputShapes.size <= 1 && !turnsMidway && !(isUpright && hasQuarterTurns)) return;
  throw new MediaError(
    'unsupported_format',
    `The source changes the size of its pictures, their pixel format or their rotation in the middle, ${consequence}.`,
  );
}
