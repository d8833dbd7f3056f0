import type { FfmpegProgress } from './progress.ts';
import { runFfmpeg, type FfmpegRun } from './run.ts';
import type { FinalStatistics } from './statistics.ts';
import type { RunLimits } from './limits.ts';
import { sourceTooLong, type SourceLimits } from './source-limits.ts';

/** Called with the finished seconds of media, the speed, and the progress of pictures. An exception ends the run. */
export type OnAdvance = (
  mediaSeconds: number,
  speed: number | undefined,
  pictures?: FfmpegProgress['pictures'],
) => void;

/** Seconds that filters and encoders may add to a source: the meter adds silence, and mp3 has a delay. */
const addedSeconds = 1;

/**
 * Ends a run of ffmpeg if the source turns out to be longer than allowed: a header may hide hours of silence in
 * kilobytes. `fromSeconds` is the source position at which the run starts.
 */
export function stopAtLimit(
  { maxSourceDurationSeconds }: SourceLimits,
  signal: AbortSignal,
  onAdvance?: OnAdvance,
  fromSeconds = 0,
): Required<Pick<FfmpegRun, 'signal' | 'onProgress'>> {
  const stop = new AbortController();
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    onProgress({ mediaSeconds, speed, pictures }) {
      if (fromSeconds + mediaSeconds > maxSourceDurationSeconds + addedSeconds)
        stop.abort(sourceTooLong({ maxSourceDurationSeconds }));
      try {
        onAdvance?.(mediaSeconds, speed, pictures);
      } catch (error) {
        stop.abort(error);
      }
    },
  };
}

/** Runs ffmpeg on a source within the limits of the process and of the source. */
export async function runWithinLimits(
  run: Pick<FfmpegRun, 'input' | 'furtherInputs' | 'inputOptions' | 'outputs' | 'onOutput'>,
  limits: RunLimits,
  signal: AbortSignal,
  onAdvance?: OnAdvance,
  fromSeconds = 0,
): Promise<FinalStatistics> {
  return await runFfmpeg({ ...run, limits, ...stopAtLimit(limits, signal, onAdvance, fromSeconds) });
}
