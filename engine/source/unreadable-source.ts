import { stat } from 'node:fs/promises';
import { findMissingIndex } from './missing-index.ts';
import { MediaError } from '../media-error.ts';
import { findImageProblem } from './still-image.ts';

/** Reason why ffprobe cannot read a file; undefined if none is known. */
export async function findSourceProblem(path: string): Promise<MediaError | undefined> {
  const { size } = await stat(path);
  if (size === 0) return new MediaError('undecodable_source', 'The source is empty: it has 0 bytes.');
  const index = await findMissingIndex(path);
  if (index === undefined) return await findImageProblem(path);
  return new MediaError(
    'undecodable_source',
    `The source is an MP4 or MOV file whose index (moov) is ${index}. The recording or the copy of the file did not end properly. Copy the file again, or repair the recording.`,
  );
}
