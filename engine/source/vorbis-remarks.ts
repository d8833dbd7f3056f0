import { decodeText } from '../ffmpeg/decode-text.ts';
import { readFlacComments } from '../formats/flac/tag-flac.ts';
import { MalformedFile } from '../formats/malformed-file.ts';
import { readOggComments } from '../formats/ogg/tag-ogg.ts';
import { WindowedFile } from '../formats/windowed-file.ts';

/** Readers of Vorbis comments by ffprobe's names of the formats. */
const readers = new Map([
  ['flac', readFlacComments],
  ['ogg', readOggComments],
]);

/** Values of two Vorbis comments. */
export type VorbisRemarks = Record<'comment' | 'description', string>;

/**
 * Comment and description of a FLAC or Ogg file that has both; undefined for any other file. ffprobe names both fields
 * `comment`, and reports only the later one (libavformat/vorbiscomment.c). ffmpeg writes a comment as the description.
 */
export async function readVorbisRemarks(path: string, formatName: string): Promise<VorbisRemarks | undefined> {
  const read = readers.get(formatName);
  if (read === undefined) return undefined;
  try {
    const texts = (await WindowedFile.use(path, read)).comments.map(decodeText);
    // ffmpeg joins repeated fields with this character, too.
    const valueOf = (field: RegExp): string =>
      texts.flatMap((text) => (field.test(text) ? text.replace(field, '') : [])).join(';');
    const remarks = { comment: valueOf(/^comment=/i), description: valueOf(/^description=/i) };
    return remarks.comment === '' || remarks.description === '' ? undefined : remarks;
  } catch (error) {
    // A file with several streams, or a damaged one.
    if (error instanceof MalformedFile) return undefined;
    throw error;
  }
}
