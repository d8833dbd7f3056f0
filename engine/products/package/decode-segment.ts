import { writeFile } from 'node:fs/promises';
import { containers } from '../../../contract/formats.ts';
import { strictOptions } from '../../verify/decode-whole.ts';
import { isDecodeRefusal } from '../../ffmpeg/failure.ts';
import { finishedFileGuards } from '../../ffmpeg/guards.ts';
import type { ProcessLimits } from '../../ffmpeg/process-limits.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import type { PackageReader } from './read-package.ts';

/** Decodes each segment alone with its init segment, like a player that starts there. `path` is a scratch file. */
export function segmentDecoder(
  path: string,
  limits: ProcessLimits,
  signal: AbortSignal,
): NonNullable<PackageReader['decode']> {
  return async (segment, init, { tracks, fragments }) => {
    await writeFile(path, Buffer.concat([init, segment]));
    const demuxer = init.length === 0 ? 'mpegts' : containers.mp4.demuxer;
    const options = ['-map', '0:V?', '-map', '0:a?', '-fps_mode', 'passthrough', '-f', 'null'];
    try {
      const { encodedFrames, encodedSamples } = await runFfmpeg({
        input: path,
        inputOptions: [...finishedFileGuards(demuxer), ...strictOptions],
        outputs: [{ path: '-', options }],
        ...{ limits, signal },
      });
      const pictures = encodedFrames.get(0) ?? 0;
      // Samples before the start of the edit list are not shown.
      const wanted = fragments.reduce((sum, { trackId, samples, shownTicks }) => {
        const track = tracks.find(({ id }) => id === trackId);
        return track?.kind === 'video' && shownTicks >= track.startTicks ? sum + samples : sum;
      }, 0);
      if (pictures < wanted)
        return `has ${wanted} pictures, of which ${pictures} can be decoded without the segment before`;
      return pictures === 0 && (encodedSamples.get(0) ?? 0) === 0 ? 'has nothing that can be decoded' : undefined;
    } catch (error) {
      if (isDecodeRefusal(error)) return 'cannot be decoded alone without an error';
      throw error;
    }
  };
}
