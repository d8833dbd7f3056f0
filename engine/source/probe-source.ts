import { MediaError } from '../media-error.ts';
import type { Probed } from '../ffmpeg/probed.ts';
import { probeWithStarts } from '../ffmpeg/stream-starts.ts';
import { findSourceProblem } from './unreadable-source.ts';

/** Probes a downloaded file. The failure names what is wrong with the file, if that is known. */
export async function probeSource(path: string, signal: AbortSignal): Promise<Probed> {
  return await probeWithStarts(path, signal).catch(async (error: unknown) => {
    if (!(error instanceof MediaError) || error.code !== 'undecodable_source') throw error;
    throw (await findSourceProblem(path)) ?? error;
  });
}
