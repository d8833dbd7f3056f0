import type { ContainerLink } from '../../contract/http/tags.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';

/** Two links are one where they lead to the same with the same headers. */
export function linkKey({ url, headers }: ContainerLink): string {
  return JSON.stringify([url, headers]);
}

/** Fetches a file that an output links to, to `path`. An error tells which field of the output it is of. */
export async function fetchLink(
  { url, headers }: ContainerLink,
  field: 'chapters' | 'cover' | 'watermark' | 'subtitles' | 'encryption',
  maxBytes: number,
  path: string,
  transfer: MediaTransfer,
  { signal, advance }: JobContext,
): Promise<string> {
  try {
    // The progress of a download is the source's.
    await transfer.download({ sourceUrl: url, headers, maxBytes }, path, {
      signal,
      advance: () => advance('download', 0),
    });
    return path;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    // The transfer calls all that it fetches the source, and here that is another file.
    const reason = error.message.replace(/^The source\b/, 'The file');
    const message = `The ${field === 'encryption' ? 'key of the encryption' : field} could not be fetched. ${reason}`;
    throw new MediaError(error.code, message, { details: { ...error.details, field }, cause: error });
  }
}
