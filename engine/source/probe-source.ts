import { stat } from 'node:fs/promises';
import { MediaError } from '../media-error.ts';
import type { Probed } from '../ffmpeg/probed.ts';
import { readRiffLength } from '../formats/wav/riff-length.ts';
import { probeWithStarts } from '../ffmpeg/stream-starts.ts';
import { findSourceProblem } from './unreadable-source.ts';

/** Probes a downloaded file. The failure names what is wrong with the file, if that is known. */
export async function probeSource(path: string, signal: AbortSignal): Promise<Probed> {
  // ffprobe would search the samples after the stated size for chunks, and ffmpeg would not decode them.
  if ((await readRiffLength(path)).kind === 'wrapped') {
    throw new MediaError(
      'unsupported_format',
      'The source is a WAV of more than 4 GiB, whose header cannot state its length. Rewrite it first: ffmpeg -ignore_length 1 -i <source> -c copy -rf64 auto <copy.wav>.',
    );
  }
  const probed = await probeWithStarts(path, signal).catch(async (error: unknown) => {
    if (!(error instanceof MediaError) || error.code !== 'undecodable_source') throw error;
    throw (await findSourceProblem(path)) ?? error;
  });
  // ffmpeg decodes only as many bytes as the overflowed size states.
  if (probed.format.format_name === 'aiff' && (await stat(path)).size > 8 + 2 ** 32) {
    throw new MediaError(
      'unsupported_format',
      'The source is an AIFF of more than 4 GiB, whose header cannot state its length. Export the recording again as CAF, W64 or RF64, which have no such limit.',
    );
  }
  return probed;
}
