import { averageOf, bandwidthOf, isOf, peakOf, ratesOfVariant } from './bandwidth.ts';
import { isCutShort, listedSeconds } from './manifest.ts';
import type { InitTrack } from './fragment.ts';
import type { PlaylistSegment, Variant } from './media-playlist.ts';
import { pictureProblems } from './picture-problems.ts';
import type { ReadPackage, ReadPart } from './read-package.ts';
import { clockStart, startToleranceSeconds, videoTrackOf } from './segment-problems.ts';

/** Apple's tolerance of `AVERAGE-BANDWIDTH`. */
const averageTolerance = 0.1;

/** Playlists round the seconds of their segments. */
const roundingTolerance = 0.001;

/** A peak of more than twice the average makes players wait, or choose too low. */
const mostPeakOfAverage = 2;

const kbits = (bits: number): number => Math.round(bits / 1000);

/** Compares the attributes of the variants with their segments. */
export function masterProblems(read: ReadPackage): string[] {
  const { master } = read;
  return (master?.variants ?? []).flatMap((variant) => {
    const name = variant.isOfKeyFrames
      ? `${nameOfOwner(read, variant.uri)}: its key frames`
      : nameOfOwner(read, variant.uri);
    const owner = ownerOf(read, variant.uri);
    const ofPictures = owner === undefined ? [] : pictureProblems(variant, owner, 'the master playlist');
    const problems = [...codecProblems(variant, owner?.tracks ?? []), ...ofPictures].map((text) => `${name}: ${text}`);
    const rates = master && ratesOfVariant(variant, read, master);
    // The size of missing segments is unknown.
    if (rates === undefined || owner?.segments.some(({ bytes }) => bytes === 0)) return problems;
    if (variant.bandwidth * (1 + roundingTolerance) < rates.peak) {
      const verb = variant.isOfKeyFrames ? 'take' : 'it takes';
      const line = `${verb} up to ${kbits(rates.peak)} kbit/s, and the master playlist says ${kbits(variant.bandwidth)}`;
      problems.push(variant.isOfKeyFrames ? `${name} ${line}` : `${name}: ${line}`);
    }
    const { averageBandwidth: said } = variant;
    if (said > 0 && Math.abs(rates.average - said) > averageTolerance * said + 1) {
      problems.push(`${name}: on average ${kbits(rates.average)} kbit/s, and the master playlist says ${kbits(said)}`);
    }
    return problems;
  });
}

/** Codec by sample entry type; types vary with the place of parameter sets and for Dolby Vision. */
const pictureCodecs: Partial<Record<string, string>> = {
  ...{ avc1: 'avc', avc3: 'avc', hvc1: 'hevc', hev1: 'hevc', dvh1: 'hevc', dvhe: 'hevc' },
  ...{ av01: 'av1', dav1: 'av1', vp09: 'vp9' },
};

/** Players ignore a variant whose codec they do not know. */
function codecProblems({ codecs }: Variant, tracks: readonly InitTrack[]): string[] {
  if (codecs === '') return ['the master playlist does not say its codecs'];
  const named = new Set(codecs.split(',').map((codec) => pictureCodecs[codec.trim().slice(0, 4)]));
  const other = tracks.find(({ codec }) => pictureCodecs[codec] !== undefined && !named.has(pictureCodecs[codec]));
  return other === undefined ? [] : [`its pictures are ${other.codec}, and the master playlist says ${codecs}`];
}

function ownerOf({ parts }: ReadPackage, uri: string): ReadPart | undefined {
  return parts.find(({ main, keyFrames }) => main === uri || keyFrames?.url === uri);
}

const nameOfOwner = (read: ReadPackage, uri: string): string => ownerOf(read, uri)?.part.name ?? uri;

/** Compares the manifest with the playlists and with the segments. */
export function manifestProblems({ manifest, master, parts }: ReadPackage): string[] {
  if (manifest === undefined) return [];
  const { representations, minBufferSeconds } = manifest;
  return parts.flatMap((read) => {
    const { name } = read.part;
    const own = representations.find((one) => (master === undefined ? one.id === read.main : isOf(one, read)));
    if (own === undefined) return [`${name}: the manifest does not offer it`];
    const needed = bandwidthOf(read.segments, minBufferSeconds);
    return [
      ...(own.codecs === '' ? [`${name}: the manifest does not say its codecs`] : []),
      ...pictureProblems(own, read, 'the manifest').map((text) => `${name}: ${text}`),
      ...(master === undefined ? [] : listingProblems(read, own.listing.segments)),
      ...(isCutShort(own, manifest)
        ? [
            `${name}: it lasts ${listedSeconds(own).toFixed(3)} s, and the manifest ends at ${manifest.seconds.toFixed(3)}`,
          ]
        : []),
      ...(own.bandwidth * (1 + roundingTolerance) >= needed
        ? []
        : [`${name}: it needs ${kbits(needed)} kbit/s, and the manifest says ${kbits(own.bandwidth)}`]),
    ];
  });
}

function listingProblems({ part: { name }, segments }: ReadPart, named: readonly PlaylistSegment[]): string[] {
  if (named.length !== segments.length) {
    return [`${name}: the manifest has ${named.length} segments, and its playlist ${segments.length}`];
  }
  const other = segments.findIndex((segment, index) => !isSameSegment(segment, named[index]));
  if (other !== -1) return [`${name}: segment ${other + 1} is another one in the manifest than in its playlist`];
  const wrong = segments.findIndex(
    ({ seconds }, index) => Math.abs(seconds - (named[index]?.seconds ?? NaN)) > 2 * startToleranceSeconds,
  );
  return wrong === -1 ? [] : [`${name}: segment ${wrong + 1} is not as long in the manifest as in its playlist`];
}

const isSameSegment = (one: PlaylistSegment, other: PlaylistSegment | undefined): boolean =>
  one.uri === other?.uri && one.range?.offset === other.range?.offset && one.range?.length === other.range?.length;

/** Improvements for a package that plays. */
export function findPackageNotes({ parts, master }: Pick<ReadPackage, 'parts' | 'master'>): string[] {
  const clock = clockStart(parts);
  const lacksKeyFrames = master !== undefined && parts.every(({ keyFrames }) => keyFrames === undefined);
  return [
    ...(Math.abs(clock) > startToleranceSeconds ? [`its pictures begin at ${clock.toFixed(3)} s, and not at 0`] : []),
    ...(lacksKeyFrames && parts.some((part) => videoTrackOf(part) !== undefined)
      ? ['it has no playlists of key frames, by which players of Apple show pictures while a person seeks']
      : []),
    ...parts.flatMap((read) => {
      const [peak, average] = [peakOf(read), averageOf(read)];
      if (peak <= mostPeakOfAverage * average) return [];
      const factor = (peak / average).toFixed(1);
      return [
        `${read.part.name}: its peak is ${factor} times its average; Apple advises twice at most, by a lower maxBitrate`,
      ];
    }),
  ];
}
