import type { OutputSettings } from '../../../contract/output-settings.ts';
import { ServiceError } from '../../errors.ts';
import type { Source } from '../source.ts';
import { readPictures } from './picture-source.ts';

/** The source with the time of each picture, where an output has pictures. */
export async function openPictures(
  source: Source,
  outputs: readonly OutputSettings[],
  signal: AbortSignal,
): Promise<Source> {
  if (outputs.every(({ video, filmImage }) => video === undefined && filmImage === undefined)) return source;
  if (source.audio?.isDecoded === true) {
    throw new ServiceError(
      'unsupported_format',
      'The source is several files in a row. Their sound can be joined, and their pictures cannot.',
    );
  }
  return { ...source, pictures: await readPictures(source.pictureStream, signal) };
}
