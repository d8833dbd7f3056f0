import { decodeGuards } from '../ffmpeg/guards.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import type { Work } from '../work.ts';
import { type AudioSource, type Source, withTracks } from './source.ts';

/** dBFS of 1,000,000 (`wildSampleLimit`). */
const mostPeakLevel = 120;

const isFloat = ({ losslessBits, sampleFormat }: AudioSource): boolean =>
  losslessBits !== undefined && /^(?:flt|dbl)p?$/.test(sampleFormat ?? '');

/**
 * Marks tracks whose floating-point samples include NaN, infinite or absurdly large ones, so that they are decoded with
 * silence in their place. One of them makes encoders fail and meters lose a whole file, and integers have a click.
 */
export async function markWildSamples(
  source: Source,
  used: ReadonlySet<AudioSource>,
  limits: RunLimits,
  job: Work,
): Promise<Source> {
  if (![...used].some(isFloat)) return source;
  const tracks: AudioSource[] = [];
  for (const track of source.tracks) {
    const isWild = used.has(track) && isFloat(track) && (await hasWildSamples(track, limits, job));
    tracks.push(isWild ? { ...track, hasWildSamples: true } : track);
  }
  return withTracks(source, tracks);
}

async function hasWildSamples({ path, track }: AudioSource, limits: RunLimits, job: Work): Promise<boolean> {
  const meter = 'astats=measure_perchannel=none:measure_overall=Peak_level+Number_of_NaNs+Number_of_Infs';
  const options = ['-map', `0:a:${track}`, '-af', meter, '-f', 'null'];
  const run = { input: path, inputOptions: decodeGuards, outputs: [{ path: '-', options }] };
  const { peakLevel = -Infinity, hasNonNumbers } = await runWithinLimits(run, limits, job.signal, () => {
    job.advance('probe', undefined);
  });
  return hasNonNumbers || peakLevel > mostPeakLevel;
}
