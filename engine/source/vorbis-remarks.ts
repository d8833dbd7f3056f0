import { readFlacComments } from '../formats/flac/tag-flac.ts';
import { MalformedFile } from '../formats/malformed-file.ts';
import { readOggComments } from '../formats/ogg/tag-ogg.ts';
import { WindowedFile } from '../formats/windowed-file.ts';

/** By ffprobe's names of the formats. */
const readers = new Map([
  ['flac', readFlacComments],
  ['ogg', readOggComments],
]);

/** Values of two Vorbis comments; an empty text if the file has no such field. */
export type VorbisRemarks = Record<'comment' | 'description', string>;

/**
 * Comment and description of a FLAC or Ogg file that has a DESCRIPTION; undefined for any other file. ffprobe names both
 * fields `comment`, and reports only the later one (libavformat/vorbiscomment.c).
 */
export async function readVorbisRemarks(path: string, formatName: string): Promise<VorbisRemarks | undefined> {
  const read = readers.get(formatName);
  if (read === undefined) return undefined;
  try {
    const texts = (await WindowedFile.use(path, read)).comments.map((bytes) => bytes.toString());
    // ffmpeg joins repeated fields with this character, too.
    const valueOf = (field: RegExp): string =>
      texts.flatMap((text) => (field.test(text) ? text.replace(field, '') : [])).join(';');
    const description = valueOf(/^description=/i);
    return description === '' ? undefined : { comment: valueOf(/^comment=/i), description };
  } catch (error) {
    // A file with several streams, or a damaged one.
    if (error instanceof MalformedFile) return undefined;
    throw error;
  }
}
