import type { ContainerLink } from '../../contract/http/tags.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';

/** Key of a link; links with the same URL and headers share one download. */
export function linkKey({ url, headers }: ContainerLink): string {
  return JSON.stringify([url, headers]);
}

/** Downloads a linked file to `path`. Errors name the field of the output. */
export async function fetchLink(
  { url, headers }: ContainerLink,
  field: 'chapters' | 'cover' | 'watermark' | 'subtitles' | 'encryption',
  maxBytes: number,
  path: string,
  transfer: MediaTransfer,
  { signal, advance }: JobContext,
): Promise<string> {
  try {
    // The phase `download` reports the source's progress only.
    await transfer.download({ sourceUrl: url, headers, maxBytes }, path, {
      signal,
      advance: () => advance('download', 0),
    });
    return path;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    // The transfer calls every file "the source".
    const reason = error.message.replace(/^The source\b/, 'The file');
    const message = `The ${field === 'encryption' ? 'key of the encryption' : field} could not be fetched. ${reason}`;
    throw new MediaError(error.code, message, { details: { ...error.details, field }, cause: error });
  }
}
