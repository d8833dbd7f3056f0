import { posix } from 'node:path';
import { peakOfVariant } from './bandwidth.ts';
import type { ReadPackage, ReadPart, ReadSegment } from './read-package.ts';

/** Apple's own check of the beginnings of sound and pictures. */
const startToleranceSeconds = 0.001;

/** AAC begins with samples of its encoder alone. */
const aacPrimingSamples = 1024;
const aacFrameSamples = 1024;

/** What players would stumble over, each as a sentence (pure): Apple's rules for HLS, as far as files show them. */
export function findPackageProblems(read: ReadPackage): string[] {
  return [
    ...read.parts.flatMap((part) => [
      ...playlistProblems(part),
      ...startProblems(part),
      ...segmentProblems(part),
      ...keyFrameProblems(part),
    ]),
    ...alignmentProblems(read.parts.filter(({ part }) => part.kind === 'video')),
    ...masterProblems(read),
    ...manifestProblems(read),
  ];
}

function playlistProblems({ part: { name }, playlist }: ReadPart): string[] {
  const { segments, targetSeconds, isEnded } = playlist;
  const long = segments.findIndex(({ seconds }) => Math.round(seconds) > targetSeconds);
  return [
    ...(segments.length === 0 ? [`${name}: its playlist has no segments`] : []),
    ...(isEnded ? [] : [`${name}: its playlist does not end`]),
    ...(long === -1 ? [] : [`${name}: segment ${long + 1} is longer than the target duration of ${targetSeconds} s`]),
  ];
}

const shownSeconds = ({ shownTicks }: { shownTicks: number }, { init }: ReadPart): number =>
  (shownTicks - init.startTicks) / init.timescale;

/** Pictures begin at 0, and sound with so many samples before it as its encoder needs: else the two are out of step. */
function startProblems(read: ReadPart): string[] {
  const { part, init, segments } = read;
  const [first] = segments[0]?.fragments ?? [];
  if (first === undefined) return [];
  const lead = part.kind === 'audio' ? aacPrimingSamples / init.timescale : 0;
  const start = shownSeconds(first, read) + lead;
  if (Math.abs(start) <= startToleranceSeconds) return [];
  return [`${part.name}: it begins ${Math.abs(start * 1000).toFixed(1)} ms ${start > 0 ? 'late' : 'early'}`];
}

function segmentProblems(read: ReadPart): string[] {
  const { part, init, segments } = read;
  // The playlist counts the samples of sound that are shown, and the file all of them.
  const tolerance = part.kind === 'audio' ? (2 * aacFrameSamples) / init.timescale : startToleranceSeconds;
  let expectedTicks: number | undefined;
  return segments.flatMap((segment, index) => {
    const [first] = segment.fragments;
    const place = `${part.name}: segment ${index + 1}`;
    if (first === undefined) return [`${place} holds nothing`];
    const gap = expectedTicks !== undefined && first.decodeTicks !== expectedTicks;
    const last = segment.fragments.at(-1) ?? first;
    expectedTicks = last.decodeTicks + last.durationTicks;
    const seconds = (expectedTicks - first.decodeTicks) / init.timescale;
    return [
      ...(first.startsWithSync ? [] : [`${place} does not begin with a key frame`]),
      ...(gap ? [`${place} does not follow on the one before`] : []),
      ...(Math.abs(seconds - segment.seconds) <= tolerance
        ? []
        : [`${place} lasts ${seconds.toFixed(3)} s, and its playlist says ${segment.seconds}`]),
    ];
  });
}

/** Each fragment is what lies between two key frames. */
function keyFrameProblems({ part: { name }, keyFrames, segments }: ReadPart): string[] {
  if (keyFrames === undefined) return [];
  const wanted = segments.reduce((sum, { fragments }) => sum + fragments.length, 0);
  const found = keyFrames.segments.length;
  return [
    ...(keyFrames.isOfKeyFrames ? [] : [`${name}: the playlist of its key frames does not say that it is one`]),
    ...(found === wanted ? [] : [`${name}: its playlist of key frames has ${found}, and its segments ${wanted}`]),
  ];
}

/** A player changes from one to another between two segments. */
function alignmentProblems(parts: readonly ReadPart[]): string[] {
  const [first, ...others] = parts;
  if (first === undefined) return [];
  const startsOf = (read: ReadPart): number[] =>
    read.segments.flatMap(({ fragments }: ReadSegment) => {
      const [fragment] = fragments;
      return fragment === undefined ? [] : [shownSeconds(fragment, read)];
    });
  const wanted = startsOf(first);
  return others.flatMap((other) => {
    const found = startsOf(other);
    const wrong = wanted.findIndex(
      (start, index) => !(Math.abs(start - (found[index] ?? NaN)) <= startToleranceSeconds),
    );
    if (wrong === -1 && found.length === wanted.length) return [];
    const place = wrong === -1 ? wanted.length : wrong;
    return [`${other.part.name}: from segment ${place + 1} on it does not begin with ${first.part.name}`];
  });
}

function masterProblems(read: ReadPackage): string[] {
  const { parts, master } = read;
  const offered = new Set([...master.variants, ...master.sounds].map(({ uri }) => uri));
  const missing = parts.filter(({ main }) => !offered.has(main));
  return [
    ...missing.map(({ part }) => `${part.name}: the master playlist does not offer it`),
    ...master.variants.flatMap((variant) => {
      const peak = Math.max(peakOfVariant(variant, read) ?? 0, variant.averageBandwidth);
      const problems = variant.codecs === '' ? [`${variant.uri}: the master playlist does not say its codecs`] : [];
      if (variant.bandwidth + 1 >= peak) return problems;
      const kbits = (bits: number): number => Math.round(bits / 1000);
      return [
        ...problems,
        `${variant.uri}: it takes up to ${kbits(peak)} kbit/s, and says ${kbits(variant.bandwidth)}`,
      ];
    }),
  ];
}

const charBefore = (text: string, part: string): string => text.charAt(text.indexOf(part) - 1);

/** The manifest has the same segments as the playlists. */
function manifestProblems({ manifest, parts }: ReadPackage): string[] {
  if (manifest === undefined) return [];
  return parts.flatMap(({ part: { name }, main, segments, playlist }) => {
    const init = posix.join(posix.dirname(main), playlist.init?.uri ?? '');
    const own = manifest.split('<Representation ').find((text) => /["'>]/.test(charBefore(text, init))) ?? '';
    if (own === '') return [`${name}: the manifest does not offer it`];
    if (playlist.init?.range !== undefined) return [];
    const counted = [...own.matchAll(/<S [^>]*>/g)].map(([entry]) => 1 + Number(/ r="(\d+)"/.exec(entry)?.[1] ?? 0));
    const found = counted.reduce((sum, count) => sum + count, 0);
    return found === segments.length
      ? []
      : [`${name}: the manifest has ${found} segments, and its playlist ${segments.length}`];
  });
}
