import { MediaError } from '../../media-error.ts';

/** The file that was read back differs from what was written; `problem` ends a sentence. */
export function invalidImage(problem: string): MediaError {
  return new MediaError('output_invalid', `An image failed its verification: ${problem}. Nothing was uploaded.`);
}
