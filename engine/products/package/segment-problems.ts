import { aacFrameSamples } from '../../formats/aac/frame.ts';
import type { Fragment, InitTrack } from './fragment.ts';
import type { ReadPart } from './read-package.ts';

/** Tolerance of Apple's own check of when sound and pictures start. */
export const startToleranceSeconds = 0.001;

/** Samples that an encoder adds before those of the source. `own` is ffmpeg's number, `foreign` those of other encoders. */
const primingSamples: Partial<Record<string, { own: number; foreign: readonly number[] }>> = {
  mp4a: { own: 1024, foreign: [1024, 1600, 2048, 2112] },
  Opus: { own: 312, foreign: [312] },
};

export const isPrimingKnown = ({ codec }: InitTrack): boolean => primingSamples[codec] !== undefined;

const shownSecondsOf = ({ shownTicks }: Pick<Fragment, 'shownTicks'>, track: InitTrack): number =>
  (shownTicks - track.startTicks) / track.timescale;

const fragmentsOf = (read: ReadPart, { id }: InitTrack): Fragment[][] =>
  read.segments.map(({ fragments }) => fragments.filter(({ trackId }) => trackId === id));

export const videoTrackOf = ({ tracks }: ReadPart): InitTrack | undefined =>
  tracks.find(({ kind }) => kind === 'video');

/** Time at which the first picture of each segment is shown; undefined where the segment could not be read. */
export function segmentStarts(read: ReadPart): (number | undefined)[] {
  const track = videoTrackOf(read);
  if (track === undefined) return [];
  return fragmentsOf(read, track).map(([first]) => first && shownSecondsOf(first, track));
}

/** Time at which the first picture of a package is shown; 0 without pictures. */
export function clockStart(parts: readonly ReadPart[]): number {
  const earliest = Math.min(...parts.flatMap((read) => segmentStarts(read)[0] ?? []));
  return Number.isFinite(earliest) ? earliest : 0;
}

/**
 * Checks that pictures start at 0, and sound earlier by its encoder's priming: otherwise the two are out of sync.
 * Packages of others may start at another time, at which players start too.
 */
export function startProblems(parts: readonly ReadPart[], isOwn: boolean): string[] {
  const clock = isOwn ? 0 : clockStart(parts);
  return parts.flatMap((read) =>
    read.tracks.flatMap((track) => {
      const [first] = fragmentsOf(read, track)[0] ?? [];
      if (first === undefined || track.kind === 'other') return [];
      const priming = track.kind === 'audio' ? primingSamples[track.codec] : { own: 0, foreign: [0] };
      // The priming of other codecs is unknown.
      if (priming === undefined) return [];
      const start = shownSecondsOf(first, track) - clock;
      const known = isOwn ? [priming.own] : priming.foreign;
      const isRight = known.some((samples) => Math.abs(start + samples / track.timescale) <= startToleranceSeconds);
      if (isRight) return [];
      const late = start + priming.own / track.timescale;
      const what = read.tracks.length === 1 ? 'it' : track.kind === 'video' ? 'its pictures' : 'its sound';
      const verb = what === 'its pictures' ? 'begin' : 'begins';
      return [
        `${read.part.name}: ${what} ${verb} ${Math.abs(late * 1000).toFixed(1)} ms ${late > 0 ? 'late' : 'early'}`,
      ];
    }),
  );
}

/** Checks each segment, and that it follows the previous one. */
export function segmentProblems(read: ReadPart): string[] {
  if (read.tracks.length === 0) return [];
  const { name } = read.part;
  const empty = read.segments.flatMap(({ fragments, bytes }, index) =>
    fragments.length === 0 && bytes > 0 ? [`${name}: segment ${index + 1} is empty`] : [],
  );
  const main = videoTrackOf(read) ?? read.tracks[0];
  return [...empty, ...read.tracks.flatMap((track) => trackProblems(read, track, track === main))];
}

function trackProblems(read: ReadPart, track: InitTrack, isMain: boolean): string[] {
  let expectedTicks: number | undefined;
  let expectedSeconds: number | undefined;
  return fragmentsOf(read, track).flatMap((fragments, index) => {
    const [first] = fragments;
    const segment = read.segments[index];
    if (first === undefined || segment === undefined) {
      expectedTicks = undefined;
      return [];
    }
    const place = `${read.part.name}: segment ${index + 1}`;
    const problems = first.startsWithSync ? [] : [`${place} does not begin with a key frame`];
    if (expectedTicks !== undefined && first.decodeTicks !== expectedTicks) {
      problems.push(`${place} does not start where the previous one ends`);
    }
    for (const [position, { decodeTicks, durationTicks }] of fragments.entries()) {
      if (position > 0 && decodeTicks !== expectedTicks) problems.push(`${place} has a gap in it`);
      expectedTicks = decodeTicks + durationTicks;
    }
    if (!isMain) return problems;
    const seconds = ((expectedTicks ?? 0) - first.decodeTicks) / track.timescale;
    const tolerance = toleranceOf(track, fragments);
    if (Math.abs(seconds - segment.seconds) > tolerance) {
      problems.push(`${place} lasts ${seconds.toFixed(3)} s, and its playlist says ${segment.seconds}`);
    }
    const start = first.decodeTicks / track.timescale;
    if (segment.startSeconds !== undefined) {
      expectedSeconds ??= start - segment.startSeconds;
      if (Math.abs(start - segment.startSeconds - expectedSeconds) > tolerance) {
        problems.push(
          `${place} begins at ${start.toFixed(3)} s, and the manifest says ${segment.startSeconds.toFixed(3)}`,
        );
      }
    }
    return problems;
  });
}

/** A playlist counts the audible samples, the file all of them. Some packagers round. */
function toleranceOf({ kind, timescale }: InitTrack, fragments: readonly Fragment[]): number {
  if (kind === 'audio') return (2 * aacFrameSamples) / timescale;
  const samples = fragments.reduce((sum, fragment) => sum + fragment.samples, 0);
  const ticks = fragments.reduce((sum, fragment) => sum + fragment.durationTicks, 0);
  return Math.max(startToleranceSeconds, ticks / samples / timescale / 2);
}
