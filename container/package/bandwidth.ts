import type { Variant } from './media-playlist.ts';
import type { ReadPackage, ReadPart } from './read-package.ts';

/** Bits a second of the part's largest segment: what a player must be able to fetch (RFC 8216, 4.3.4.2). */
function peakOf({ segments }: ReadPart): number {
  return Math.max(0, ...segments.map(({ bytes, seconds }) => (seconds > 0 ? (bytes * 8) / seconds : 0)));
}

/** What a choice of the master playlist takes at most, with the sound beside it; undefined where it names no part (pure). */
export function peakOfVariant(variant: Variant, { parts, master }: ReadPackage): number | undefined {
  const partAt = (uri: string): ReadPart | undefined => parts.find(({ main }) => uri === main);
  const own = partAt(variant.uri);
  if (own === undefined) return undefined;
  if (own.part.kind === 'audio') return peakOf(own);
  const sounds = master.sounds.filter(({ group }) => group === variant.audioGroup);
  const ofSound = sounds.map(({ uri }) => partAt(uri)).map((sound) => (sound === undefined ? 0 : peakOf(sound)));
  return peakOf(own) + Math.max(0, ...ofSound);
}

/**
 * The master playlist with what the packager leaves to be wished for (pure): `BANDWIDTH` is no less than the peak, which it takes without
 * a short last segment, and the first sound that was asked for is the one that plays.
 */
export function completeMaster(text: string, read: ReadPackage): string {
  const { variants, sounds } = read.master;
  const bandwidths = new Map(
    variants.map((variant) => {
      const peak = Math.max(variant.bandwidth, variant.averageBandwidth, peakOfVariant(variant, read) ?? 0);
      return [variant.line, variant.line.replace(/([:,])BANDWIDTH=\d+/, `$1BANDWIDTH=${Math.ceil(peak)}`)];
    }),
  );
  // The packager sorts them by language.
  const placeOf = (uri: string): number => read.parts.findIndex(({ main }) => main === uri);
  const firsts = new Map(
    [...Map.groupBy(sounds, ({ group }) => group).values()].flatMap((group) =>
      group.map(({ line, uri }): [string, string] => {
        const isFirst = group.every((other) => placeOf(uri) <= placeOf(other.uri));
        return [line, line.replace(/DEFAULT=(?:YES|NO)/, `DEFAULT=${isFirst ? 'YES' : 'NO'}`)];
      }),
    ),
  );
  return text
    .split('\n')
    .map((line) => bandwidths.get(line) ?? firsts.get(line) ?? line)
    .join('\n');
}
