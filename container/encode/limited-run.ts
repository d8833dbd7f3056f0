import { runFfmpeg, type FfmpegRun } from '../ffmpeg/run.ts';
import type { FinalStatistics } from '../ffmpeg/statistics.ts';
import type { RunLimits } from './limits.ts';
import { sourceTooLong } from './source-limits.ts';

/** Told how many seconds of media are done, and how many of them in a second. What it throws ends the run. */
export type OnAdvance = (mediaSeconds: number, speed: number | undefined) => void;

/**
 * Runs ffmpeg on a source, and ends it where the source turns out to be longer than allowed: a header may lie about hours
 * of silence in kilobytes. `fromSeconds` is where in the source it begins.
 */
export async function runWithinLimits(
  run: Pick<FfmpegRun, 'input' | 'furtherInputs' | 'inputOptions' | 'outputs'>,
  limits: RunLimits,
  signal: AbortSignal,
  onAdvance: OnAdvance,
  fromSeconds = 0,
): Promise<FinalStatistics> {
  const stop = new AbortController();
  return await runFfmpeg({
    ...run,
    limits,
    signal: AbortSignal.any([signal, stop.signal]),
    onProgress({ mediaSeconds, speed }) {
      if (fromSeconds + mediaSeconds > limits.maxSourceDurationSeconds) stop.abort(sourceTooLong(limits));
      try {
        onAdvance(mediaSeconds, speed);
      } catch (error) {
        stop.abort(error);
      }
    },
  });
}
