import { firstIndex } from '../../first-index.ts';
import { masterProblems, manifestProblems } from './offer-problems.ts';
import type { ReadPackage, ReadPart, ReadSegment } from './read-package.ts';
import {
  segmentProblems,
  segmentStarts,
  startProblems,
  startToleranceSeconds,
  videoTrackOf,
} from './segment-problems.ts';

/** A part that a package must have. */
export interface ExpectedPart {
  kind: 'video' | 'audio';
  name: string;
  /** The URL of its playlist. */
  main: string;
}

/**
 * Problems for players, each as a sentence (pure): Apple's rules for HLS, as far as files show them. `expected` is
 * given for our own packages.
 */
export function findPackageProblems(read: ReadPackage, expected?: readonly ExpectedPart[]): string[] {
  const { parts } = read;
  return [
    ...missingProblems(read, expected ?? []),
    ...parts.flatMap(({ faults }) => faults),
    ...parts.flatMap((part) => [...playlistProblems(part), ...segmentProblems(part), ...keyFrameProblems(part)]),
    ...startProblems(parts, expected !== undefined),
    ...alignmentProblems(parts),
    ...masterProblems(read),
    ...manifestProblems(read),
  ];
}

function missingProblems({ parts }: ReadPackage, expected: readonly ExpectedPart[]): string[] {
  return expected.flatMap(({ kind, name, main }) => {
    const found = parts.find((part) => part.main === main);
    if (found === undefined) return [`${name}: the master playlist does not offer it`];
    const lacksKeyFrames = kind === 'video' && found.keyFrames === undefined;
    return lacksKeyFrames ? [`${name}: the master playlist does not offer its key frames`] : [];
  });
}

function playlistProblems({ part: { name }, playlist, faults }: ReadPart): string[] {
  const { segments, targetSeconds = Infinity, isEnded } = playlist;
  const none = segments.findIndex(({ seconds }) => seconds === 0);
  const long = segments.findIndex(({ seconds }) => Math.round(seconds) > targetSeconds);
  return [
    ...(segments.length === 0 && faults.length === 0 ? [`${name}: its playlist has no segments`] : []),
    ...(isEnded ? [] : [`${name}: its playlist does not end`]),
    ...(none === -1 ? [] : [`${name}: its playlist does not state the length of segment ${none + 1}`]),
    ...(long === -1 ? [] : [`${name}: segment ${long + 1} is longer than the target duration of ${targetSeconds} s`]),
  ];
}

/** Checks the place of each key frame, and that their playlist is as long as the pictures. */
function keyFrameProblems({ part: { name }, keyFrames, playlist, segments }: ReadPart): string[] {
  if (keyFrames === undefined) return [];
  const lengthOf = (list: readonly { seconds: number }[]): number =>
    list.reduce((sum, { seconds }) => sum + seconds, 0);
  const [shown, found] = [lengthOf(playlist.segments), lengthOf(keyFrames.segments)];
  const places = keyFramePlaces(segments);
  const astray = keyFrames.segments.findIndex(({ uri, range }) => {
    if (range === undefined) return false;
    const own = places.get(uri);
    if (own?.isWhole === false) return false;
    const offsets = own?.offsets ?? [];
    const found = offsets[firstIndex(offsets.length, (index) => (offsets[index] ?? Infinity) >= range.offset)];
    return found === undefined || found >= range.offset + range.length;
  });
  return [
    ...(keyFrames.isOfKeyFrames ? [] : [`${name}: the playlist of its key frames does not say that it is one`]),
    // Each length is rounded separately.
    ...(Math.abs(shown - found) <= startToleranceSeconds * (1 + keyFrames.segments.length)
      ? []
      : [`${name}: its playlist of key frames lasts ${found.toFixed(3)} s, and its pictures ${shown.toFixed(3)}`]),
    ...(astray === -1 ? [] : [`${name}: key frame ${astray + 1} is not where its playlist says`]),
  ];
}

/** Offsets in each file of fragments that begin with a key frame, ascending. A long film in one file has thousands. */
function keyFramePlaces(segments: readonly ReadSegment[]): Map<string, { offsets: number[]; isWhole: boolean }> {
  const places = new Map<string, { offsets: number[]; isWhole: boolean }>();
  for (const { uri, range, fragments } of segments) {
    const own = places.get(uri) ?? { offsets: [], isWhole: true };
    for (const { offset, startsWithSync } of fragments) {
      if (startsWithSync) own.offsets.push((range?.offset ?? 0) + offset);
    }
    own.isWhole &&= fragments.length > 0;
    places.set(uri, own);
  }
  for (const { offsets } of places.values()) offsets.sort((one, other) => one - other);
  return places;
}

/** Players switch between renditions at segment boundaries. */
function alignmentProblems(parts: readonly ReadPart[]): string[] {
  const [first, ...others] = parts.filter((part) => videoTrackOf(part) !== undefined);
  if (first === undefined) return [];
  const wanted = segmentStarts(first);
  return others.flatMap((other) => {
    const found = segmentStarts(other);
    const wrong = wanted.findIndex((start, index) => {
      if (index >= found.length) return true;
      // Unreadable segments were already reported.
      const [one = NaN, another = NaN] = [start, found[index]];
      return Math.abs(one - another) > startToleranceSeconds;
    });
    if (wrong === -1 && found.length === wanted.length) return [];
    const place = wrong === -1 ? wanted.length : wrong;
    return [`${other.part.name}: from segment ${place + 1} on it does not begin with ${first.part.name}`];
  });
}
