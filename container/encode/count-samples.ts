import type { OutputSettings } from '../../contract/output-settings.ts';
import { ServiceError } from '../errors.ts';
import { noSound } from '../ffmpeg/failure.ts';
import { gapFilter } from '../ffmpeg/gap-filter.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import type { JobContext } from '../jobs/job.ts';
import { runWithinLimits } from './limited-run.ts';
import type { RunLimits } from './limits.ts';
import type { AudioSource, Source } from './source.ts';
import { chooseTrack } from './track.ts';
import { orUnsupported } from './unsupported.ts';

/** Whether places in an output follow from the length of its source. */
function needsLength({ trim, fade }: OutputSettings): boolean {
  return [trim?.start, trim?.end, fade?.in, fade?.out].some((seconds) => seconds !== undefined && seconds > 0);
}

/**
 * The source with its samples counted, by decoding it, in the tracks that outputs trim or fade: headers guess, and a fade that
 * begins a moment late is heard. The decode also tells a trimmed source that is truncated.
 */
export async function countWhereNeeded(
  source: Source,
  outputs: readonly OutputSettings[],
  limits: RunLimits,
  job: JobContext,
): Promise<Source> {
  const wanted = new Set(outputs.filter(needsLength).map((output) => orUnsupported(() => chooseTrack(output, source))));
  if (wanted.size === 0) return source;
  const tracks: AudioSource[] = [];
  for (const track of source.tracks) {
    tracks.push(wanted.has(track) ? { ...track, countedSamples: await countSamples(track, limits, job) } : track);
  }
  const [audio] = tracks;
  return { ...source, ...(audio !== undefined && { audio }), tracks };
}

async function countSamples(source: AudioSource, limits: RunLimits, job: JobContext): Promise<number> {
  const filters = [gapFilter(source), `aformat=sample_rates=${source.sampleRate}`];
  const options = ['-map', `0:a:${source.track}`, '-af', filters.join(','), '-f', 'null'];
  const run = { input: source.path, inputOptions: decodeGuards, outputs: [{ path: '-', options }] };
  const { encodedSamples, inputShapes } = await runWithinLimits(run, limits, job.signal, () => {
    job.advance('probe', undefined);
  });
  const samples = encodedSamples.get(0) ?? 0;
  if (samples === 0) throw noSound();
  // ffmpeg's filters begin anew there, and their places with them.
  if (inputShapes.size > 1) {
    throw new ServiceError(
      'unsupported_format',
      'The source changes its sample rate or its channels in the middle, and cannot be trimmed or faded.',
    );
  }
  return samples;
}
