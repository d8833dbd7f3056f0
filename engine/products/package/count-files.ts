import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { plannedSeconds } from '../../pictures/video-timing.ts';
import type { AudioSource, Source } from '../../source/source.ts';
import { orUnsupported } from '../../unsupported.ts';
import { textSegmentSeconds } from './offer-subtitles.ts';
import type { PackagePart, PackagePlan } from './package-plan.ts';
import type { PackageProduct } from './plan-product.ts';

/** The answer names each file, and a run's history, which keeps the answer, holds at most 2 MB. */
const mostFiles = 5000;

/** The answer has about 140 bytes for each file. */
const mostFilesTogether = 12_000;

/** Seconds by which an encoded part may be longer than its plan. */
const roundingSeconds = 0.05;

interface CountedPackage {
  product: PackageProduct;
  /** Seconds of each part. */
  lengths: readonly number[];
}

/** Refuses a package that has too many segments of pictures and sound. `lengths`: seconds of each part. */
export function checkFiles(
  output: OutputNaming,
  plan: Pick<PackagePlan, 'layout' | 'segmentSeconds'>,
  lengths: readonly number[],
): void {
  const files = countMedia(plan, lengths);
  if (files > mostFiles) throw tooMany(output, 'it', files, mostFiles);
}

/** Refuses packages that have too many files together, before anything is encoded. */
export function checkFilesTogether(packages: readonly PackageProduct[], { tracks }: Pick<Source, 'tracks'>): void {
  checkSum(packages.map((product) => ({ product, lengths: plannedLengths(product.plan, tracks) })));
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
  return track === undefined || track.estimateIsGuess === true ? 0 : (track.estimatedSeconds ?? 0);
}

function checkSum(packages: readonly CountedPackage[]): void {
  const counts = packages.map(countSegments);
  const files = counts.reduce((sum, count) => sum + count, 0);
  const largest = packages[counts.indexOf(Math.max(...counts))];
  if (largest === undefined || files <= mostFilesTogether) return;
  orUnsupported(() => {
    throw tooMany(largest.product, 'the packages of the job', files, mostFilesTogether, ' together');
  });
}

function countSegments({ product: { plan }, lengths }: CountedPackage): number {
  const { kinds, layout, subtitles = [] } = plan;
  if (layout === 'byte_ranges') return 0;
  const ofText = kinds.includes('hls') ? Math.ceil(Math.max(...lengths) / textSegmentSeconds) : 0;
  return countMedia(plan, lengths) + ofText * subtitles.length;
}

function countMedia(
  { layout, segmentSeconds }: Pick<PackagePlan, 'layout' | 'segmentSeconds'>,
  lengths: readonly number[],
): number {
  if (layout === 'byte_ranges') return 0;
  return lengths.reduce((sum, seconds) => sum + Math.ceil(Math.max(0, seconds - roundingSeconds) / segmentSeconds), 0);
}

function tooMany(output: OutputNaming, subject: string, files: number, limit: number, which = ''): UnsupportedOutput {
  return new UnsupportedOutput(
    output,
    `${subject} would have about ${files} files${which}, and the limit is ${limit}; use "layout": "byte_ranges", or longer segments`,
  );
}
