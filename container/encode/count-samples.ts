import type { OutputSettings } from '../../contract/output-settings.ts';
import { ServiceError } from '../errors.ts';
import { noSound } from '../ffmpeg/failure.ts';
import { gapFilter } from '../ffmpeg/gap-filter.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import type { JobContext } from '../jobs/job.ts';
import { createQuietBlockReader, quietBlockFilters, quietBlockSamples } from './quiet-blocks.ts';
import { runWithinLimits } from './limited-run.ts';
import type { RunLimits } from './limits.ts';
import type { AudioSource, Source } from './source.ts';
import { chooseTrack } from './track.ts';
import { orUnsupported } from './unsupported.ts';

/** Whether an output leaves out silences. */
function cutsSilence({ silence = {} }: OutputSettings): boolean {
  return silence.trimStart === true || silence.trimEnd === true || silence.shortenTo !== undefined;
}

/** Whether places in an output follow from the length of its source. */
function needsLength(output: OutputSettings): boolean {
  const { trim, fade } = output;
  const seconds = [trim?.start, trim?.end, fade?.in, fade?.out];
  return cutsSilence(output) || seconds.some((place) => place !== undefined && place > 0);
}

/**
 * The source with its samples counted, by decoding it, in the tracks that outputs cut or fade: headers guess, and a fade that
 * begins a moment late is heard. The decode finds silences as well, and tells a trimmed source that is truncated.
 */
export async function countWhereNeeded(
  source: Source,
  outputs: readonly OutputSettings[],
  limits: RunLimits,
  job: JobContext,
): Promise<Source> {
  const tracksOf = (some: readonly OutputSettings[]): Set<AudioSource> =>
    new Set(some.map((output) => orUnsupported(() => chooseTrack(output, source))));
  const counted = tracksOf(outputs.filter(needsLength));
  const searched = tracksOf(outputs.filter(cutsSilence));
  if (counted.size === 0) return source;
  const tracks: AudioSource[] = [];
  for (const track of source.tracks) {
    tracks.push(counted.has(track) ? await countSamples(track, searched.has(track), limits, job) : track);
  }
  const [audio] = tracks;
  return { ...source, ...(audio !== undefined && { audio }), tracks };
}

async function countSamples(
  source: AudioSource,
  findsSilence: boolean,
  limits: RunLimits,
  job: JobContext,
): Promise<AudioSource> {
  const blockSamples = quietBlockSamples(source.sampleRate);
  const { read, peaks } = createQuietBlockReader();
  const search = findsSilence ? quietBlockFilters(blockSamples) : [];
  const filters = [gapFilter(source), `aformat=sample_rates=${source.sampleRate}`, ...search];
  const options = ['-map', `0:a:${source.track}`, '-af', filters.join(','), '-f', 'null'];
  const run = { input: source.path, inputOptions: decodeGuards, outputs: [{ path: '-', options }], onOutput: read };
  const { encodedSamples, inputShapes } = await runWithinLimits(run, limits, job.signal, () => {
    job.advance('probe', undefined);
  });
  const samples = encodedSamples.get(0) ?? 0;
  if (samples === 0) throw noSound();
  // ffmpeg's filters begin anew there, and their places with them.
  if (inputShapes.size > 1) {
    throw new ServiceError(
      'unsupported_format',
      'The source changes its sample rate or its channels in the middle, and cannot be cut or faded.',
    );
  }
  return { ...source, countedSamples: samples, ...(findsSilence && { quiet: { blockSamples, peaks } }) };
}
