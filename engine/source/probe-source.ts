import { MediaError } from '../media-error.ts';
import type { Probed } from '../ffmpeg/probed.ts';
import { probeWithStarts } from '../ffmpeg/stream-starts.ts';
import { findImageProblem } from './still-image.ts';

/** Probes a downloaded file. Formats of pictures, which ffprobe must not read, are `unsupported_format`. */
export async function probeSource(path: string, signal: AbortSignal): Promise<Probed> {
  return await probeWithStarts(path, signal).catch(async (error: unknown) => {
    if (!(error instanceof MediaError) || error.code !== 'undecodable_source') throw error;
    throw (await findImageProblem(path)) ?? error;
  });
}
