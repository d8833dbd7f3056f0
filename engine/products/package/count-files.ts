import type { OutputSettings } from '../../../contract/output-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { plannedSeconds } from '../../pictures/video-timing.ts';
import type { AudioSource, Source } from '../../source/source.ts';
import { usedTracks } from '../../source/track.ts';
import type { PackagePart, PackagePlan } from './package-plan.ts';

/** The answer names each file, and a run's history, which keeps the answer, holds at most 2 MB. */
const mostFiles = 5000;

/** Seconds by which an encoded part may be longer than its plan. */
const roundingSeconds = 0.05;

/** Refuses a package that has too many segments of pictures and sound. `lengths`: seconds of each part. */
export function checkFiles(
  output: OutputNaming,
  plan: Pick<PackagePlan, 'layout' | 'segmentSeconds'>,
  lengths: readonly number[],
): void {
  const files = countMedia(plan, lengths);
  if (files > mostFiles) throw tooMany(output, 'it', files, mostFiles);
}

/** Seconds of each part. 0 for sound whose length is a guess, which may be many times too long. */
export function plannedLengths(
  { parts, trim = {} }: { parts: readonly Pick<PackagePart, 'plan'>[] } & Pick<PackagePlan, 'trim'>,
  tracks: Source['tracks'],
): number[] {
  return parts.map(({ plan: { video, audio } }) => {
    if (video !== undefined) return plannedSeconds(video.timing);
    if (audio?.cut !== undefined) return audio.cut.keptSamples / audio.cut.sampleRate;
    // Jobs that plan or encode a part of a film do not count sound, so that its plan has no cut.
    const seconds = knownSeconds(tracks.find(({ track }) => track === audio?.track));
    return Math.max(0, Math.min(seconds, trim.end ?? Infinity) - (trim.start ?? 0));
  });
}

function knownSeconds(track: AudioSource | undefined): number {
  if (track === undefined) return 0;
  const { countedSamples, sampleRate, estimatedSeconds = 0, estimateIsGuess } = track;
  if (countedSamples !== undefined) return countedSamples / sampleRate;
  return estimateIsGuess === true ? 0 : estimatedSeconds;
}

/** Tracks that must be counted, because a package would have too many files by the guess of their length. */
export function tracksToCount(
  outputs: readonly OutputSettings[],
  source: Pick<Source, 'audio' | 'tracks'>,
): Set<AudioSource> {
  const packages = outputs.filter((output) => output.kind === 'package');
  return new Set(
    packages.flatMap((output) => {
      const sounds = output.tracks.map((track) => track.output);
      const guessed = [...usedTracks(sounds, source)].filter(({ estimateIsGuess }) => estimateIsGuess === true);
      const longest = Math.max(0, ...guessed.map(({ estimatedSeconds = 0 }) => estimatedSeconds));
      const lengths = sounds.map(() => longest);
      return countMedia(output, lengths) > mostFiles ? guessed : [];
    }),
  );
}

/** Number of the segments of pictures and sound. */
export function countMedia(
  { layout, segmentSeconds }: Pick<PackagePlan, 'layout' | 'segmentSeconds'>,
  lengths: readonly number[],
): number {
  if (layout === 'byte_ranges') return 0;
  return lengths.reduce((sum, seconds) => sum + Math.ceil(Math.max(0, seconds - roundingSeconds) / segmentSeconds), 0);
}

export function tooMany(
  output: OutputNaming,
  subject: string,
  files: number,
  limit: number,
  which = '',
): UnsupportedOutput {
  return new UnsupportedOutput(
    output,
    `${subject} would have about ${files} files${which}, and the limit is ${limit}; use "layout": "byte_ranges", or longer segments`,
  );
}
