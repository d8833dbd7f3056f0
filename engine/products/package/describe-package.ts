import type { PackageReport } from '../../../contract/package-report.ts';
import { averageOf, peakOf } from './bandwidth.ts';
import { findPackageProblems } from './find-problems.ts';
import { findPackageNotes } from './offer-problems.ts';
import { type ReadPackage, type ReadPart, whyUndecoded } from './read-package.ts';
import { isPrimingKnown } from './segment-problems.ts';

/** Report on a package of any origin (pure). */
export function describePackage(read: ReadPackage, isDecoded: boolean): PackageReport {
  const { parts, manifest, master } = read;
  const hasPlaylists = parts.some(({ playlist }) => playlist.targetSeconds !== undefined);
  return {
    kinds: [...(hasPlaylists ? (['hls'] as const) : []), ...(manifest === undefined ? [] : (['dash'] as const))],
    parts: parts.map((part) => ({
      ...part.part,
      codecs: part.tracks.map(({ codec }) => codec),
      segments: part.segments.length,
      seconds: part.segments.reduce((sum, { seconds }) => sum + seconds, 0),
      average: Math.round(averageOf(part)),
      peak: Math.round(peakOf(part)),
      ...(part.keyFrames !== undefined && { keyFrames: part.keyFrames.segments.length }),
    })),
    problems: findPackageProblems(read),
    notes: findPackageNotes(read),
    notChecked: [
      ...parts.flatMap((part) => uncheckedOf(part, isDecoded)),
      ...(master?.others ?? []).map((type) => `${type.toLowerCase()} that the master playlist offers`),
      ...(isDecoded ? [] : ['whether each segment can be decoded']),
      'how a server answers for the files: content types, caching, other origins',
    ],
  };
}

function uncheckedOf(part: ReadPart, isDecoded: boolean): string[] {
  const { name } = part.part;
  const unknown = part.tracks.filter((track) => track.kind === 'audio' && !isPrimingKnown(track));
  const undecoded = isDecoded ? whyUndecoded(part) : undefined;
  return [
    ...(part.unread === undefined ? [] : [`${name}: times and key frames of its segments, for ${part.unread}`]),
    ...unknown.map(({ codec }) => `${name}: whether its sound is in sync, because the priming of ${codec} is unknown`),
    ...(undecoded === undefined ? [] : [`${name}: whether its segments can be decoded, for ${undecoded}`]),
  ];
}
