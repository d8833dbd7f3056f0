import type { FileSettings } from '../../contract/file-settings.ts';
import { MediaError } from '../media-error.ts';
import { noSound } from '../ffmpeg/failure.ts';
import { gapFilter } from '../ffmpeg/gap-filter.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import type { Work } from '../work.ts';
import { cutsEarlySound } from './early-sound.ts';
import { createQuietBlockReader, quietBlockFilters, quietBlockSamples } from './quiet-blocks.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { type AudioSource, type Source, withTracks } from './source.ts';
import { usedTracks } from './track.ts';

/** True if an output depends on where its source is quiet. */
function needsSilence({ silence = {}, tags: { chapters } }: FileSettings): boolean {
  const cutsSilence = silence.trimStart === true || silence.trimEnd === true || silence.shortenTo !== undefined;
  return cutsSilence || (typeof chapters === 'object' && 'fromSilence' in chapters);
}

/** True if positions in an output depend on the length of its source. */
function needsLength(output: FileSettings): boolean {
  const { trim, fade } = output;
  const seconds = [trim?.start, trim?.end, fade?.in, fade?.out];
  return needsSilence(output) || seconds.some((place) => place !== undefined && place > 0);
}

/**
 * True if its filters delay seconds of the source. If the source changes its rate or channels, ffmpeg drops what they
 * hold.
 */
function looksAhead({ evensSpeech }: FileSettings): boolean {
  return evensSpeech;
}

/**
 * Counts the source's samples, by decoding, in tracks that outputs cut, fade, divide into chapters or level. Headers
 * are estimates, and a fade that starts a moment late is audible. The decode also finds silences and detects truncation
 * of a trimmed source. Tracks of `doubtful` are counted if they can be.
 */
export async function countWhereNeeded(
  source: Source,
  outputs: readonly FileSettings[],
  limits: RunLimits,
  job: Work,
  doubtful: ReadonlySet<AudioSource> = new Set(),
): Promise<Source> {
  const counted = usedTracks(
    outputs.filter((output) => needsLength(output) || looksAhead(output)),
    source,
  );
  const cutBesideCopies = source.tracks.filter((track) =>
    outputs.some((output) => usedTracks([output], source).has(track) && cutsEarlySound(output, source.pictures, track)),
  );
  const searched = usedTracks(outputs.filter(needsSilence), source);
  if (counted.size + cutBesideCopies.length + doubtful.size === 0) return source;
  const tracks: AudioSource[] = [];
  for (const track of source.tracks) {
    const isNeeded = counted.has(track);
    const isCounted = isNeeded || cutBesideCopies.includes(track) || doubtful.has(track);
    tracks.push(
      isCounted ? await countSamples(track, { isNeeded, findsSilence: searched.has(track) }, limits, job) : track,
    );
  }
  return withTracks(source, tracks);
}

async function countSamples(
  source: AudioSource,
  { isNeeded, findsSilence }: { isNeeded: boolean; findsSilence: boolean },
  limits: RunLimits,
  job: Work,
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
  // ffmpeg's filters and their positions restart there.
  if (inputShapes.size > 1 && !isNeeded) return source;
  if (inputShapes.size > 1) {
    throw new MediaError(
      'unsupported_format',
      'The source changes its sample rate or its channels in the middle. Leave out trim, fade, silence, level and chapters from silence, which are not possible for it.',
    );
  }
  return { ...source, countedSamples: samples, ...(findsSilence && { quiet: { blockSamples, peaks: peaks() } }) };
}
