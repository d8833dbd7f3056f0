import { MediaError } from '../../media-error.ts';

/** A file that was read back and is not what was written; `problem` ends a sentence. */
export function invalidImage(problem: string): MediaError {
  return new MediaError('output_invalid', `An image came out wrong: ${problem}. Nothing was uploaded.`);
}
