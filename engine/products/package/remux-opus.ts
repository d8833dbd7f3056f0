import { rename } from 'node:fs/promises';
import { finishedFileGuards } from '../../ffmpeg/guards.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import type { ProcessLimits } from '../../ffmpeg/process-limits.ts';
import type { PackagePart } from './package-plan.ts';

/**
 * Remuxes Opus packets from Ogg into MP4. From MP4 alone the packager keeps the edit list that hides the first 312
 * samples; from WebM it does not, and the sound is 6.5 ms late.
 */
export async function remuxOpus(
  parts: readonly PackagePart[],
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<void> {
  for (const { path } of parts.filter(({ plan }) => plan.audio?.codec === 'opus')) {
    await runFfmpeg({
      input: path,
      inputOptions: finishedFileGuards('ogg'),
      outputs: [
        { path: `${path}-mp4`, options: ['-map', '0:a:0', '-map_metadata', '-1', '-c:a', 'copy', '-f', 'mp4'] },
      ],
      ...{ limits, signal },
    });
    await rename(`${path}-mp4`, path);
  }
}
