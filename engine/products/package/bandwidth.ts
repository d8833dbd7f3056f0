import { isCutShort, listedSeconds, type Manifest, type Representation } from './manifest.ts';
import {
  type MasterPlaylist,
  type MediaPlaylist,
  parseMaster,
  resolveUri,
  type Sound,
  type Variant,
} from './media-playlist.ts';
import { missedRate } from './picture-problems.ts';
import type { ReadPackage, ReadPart } from './read-package.ts';

interface Timed {
  bytes: number;
  seconds: number;
}

const sumOf = (segments: readonly Timed[]): Timed => ({
  bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
  seconds: segments.reduce((sum, { seconds }) => sum + seconds, 0),
});

const rateOf = ({ bytes, seconds }: Timed): number => (seconds > 0 ? (bytes * 8) / seconds : 0);

export const averageOf = ({ segments }: Pick<ReadPart, 'segments'>): number => rateOf(sumOf(segments));

/** Bits a second of the part's largest segments in a row that last 0.5 to 1.5 times the target duration together (RFC 8216, 4.1). */
export function peakOf({ segments, playlist }: Pick<ReadPart, 'segments' | 'playlist'>): number {
  const target = playlist.targetSeconds ?? segments.reduce((longest, { seconds }) => Math.max(longest, seconds), 0);
  return highestRate(averageOf({ segments }), (rate) => rateWithin(rate, segments, 0.5 * target, 1.5 * target));
}

/** Calls `find` with a rate until it finds no higher one. The rate converges as in Newton's method (Dinkelbach's algorithm). */
function highestRate(first: number, find: (rate: number) => number): number {
  let [most, found] = [-1, first];
  while (found > most) {
    most = found;
    found = find(most);
  }
  return most;
}

/** Sums of segments are inexact. */
const roundingSeconds = 1e-6;

/** A place between two segments. */
interface Place {
  index: number;
  /** Since the start. */
  seconds: number;
  /** Bits that the segments before the place have more than the rate allows. */
  excess: number;
}

/** Rate of the segments in a row of `least` to `most` seconds that exceed `rate` by the most bits; 0 if none does. */
function rateWithin(rate: number, segments: readonly Timed[], least: number, most: number): number {
  let end: Place = { index: 0, seconds: 0, excess: 0 };
  const places: Place[] = [];
  /** Starts of rows from `first` on. Their excess rises: an earlier start of more excess begins no better row. */
  const starts: Place[] = [];
  let [next, first] = [0, 0];
  let [found, highest]: [Place, Place] = [end, end];
  for (const { bytes, seconds } of segments) {
    places.push(end);
    end = { index: end.index + 1, seconds: end.seconds + seconds, excess: end.excess + bytes * 8 - rate * seconds };
    let place = places[next];
    while (place && end.seconds - place.seconds > least - roundingSeconds) {
      while (starts.length > first && (starts.at(-1)?.excess ?? 0) >= place.excess) starts.pop();
      starts.push(place);
      next += 1;
      place = places[next];
    }
    while (end.seconds - (starts[first]?.seconds ?? Infinity) > most + roundingSeconds) first += 1;
    const start = starts[first];
    if (start && end.excess - start.excess > highest.excess - found.excess) [found, highest] = [start, end];
  }
  return rateOf(sumOf(segments.slice(found.index, highest.index)));
}

interface Rates {
  /** bits a second */
  peak: number;
  average: number;
}

/** Rates of a variant together with its sound; undefined where it names no part that was read (pure). */
export function ratesOfVariant(
  variant: Variant,
  { parts }: Pick<ReadPackage, 'parts'>,
  { sounds }: Pick<MasterPlaylist, 'sounds'>,
): Rates | undefined {
  const partAt = (uri: string): ReadPart | undefined => parts.find(({ main }) => uri === main);
  if (variant.isOfKeyFrames) {
    const owner = parts.find(({ keyFrames }) => keyFrames?.url === variant.uri);
    return owner?.keyFrames && ratesOfKeyFrames(owner.keyFrames);
  }
  const own = partAt(variant.uri);
  if (own === undefined) return undefined;
  const beside = sounds
    .filter(({ group, uri }) => group === variant.audioGroup && uri !== variant.uri)
    .flatMap(({ uri }) => partAt(uri) ?? []);
  return {
    peak: peakOf(own) + Math.max(0, ...beside.map(peakOf)),
    average: averageOf(own) + Math.max(0, ...beside.map(averageOf)),
  };
}

function ratesOfKeyFrames(playlist: MediaPlaylist): Rates | undefined {
  const segments = playlist.segments.map(({ range, ...segment }) => ({
    ...segment,
    range,
    bytes: range?.length ?? NaN,
  }));
  // Without byte ranges, segments are separate files whose sizes were not read.
  if (segments.some(({ bytes }) => Number.isNaN(bytes))) return undefined;
  const read = { playlist, segments: segments.map((segment) => ({ ...segment, fragments: [] })) };
  return { peak: peakOf(read), average: averageOf(read) };
}

/** Bits per second at which a player that has buffered `minBufferSeconds` never stalls (ISO/IEC 23009-1, 5.3.5.2). */
export function bandwidthOf(segments: readonly Timed[], minBufferSeconds: number): number {
  // Each pass is linear, and a few suffice.
  return highestRate(0, (rate) => rateAbove(rate, segments, minBufferSeconds));
}

/** Rate of segments in a row that need more than `rate`; 0 if there are none. */
function rateAbove(rate: number, segments: readonly Timed[], minBufferSeconds: number): number {
  let most = 0;
  let together = { bytes: 0, seconds: minBufferSeconds };
  for (const { bytes, seconds } of segments) {
    // Segments in a row that need less than `rate` only lower the rate of those after them.
    const isLess = together.bytes * 8 < rate * (together.seconds - minBufferSeconds);
    const before = isLess ? { bytes: 0, seconds: minBufferSeconds } : together;
    together = { bytes: before.bytes + bytes, seconds: before.seconds + seconds };
    most = Math.max(most, rateOf(together));
  }
  return most;
}

/**
 * Corrects the packager's master playlist (pure). `BANDWIDTH` covers a short last segment too, `AVERAGE-BANDWIDTH` is
 * the average, and `FRAME-RATE` covers every segment. The first of `mains` is the default sound. The packager always
 * declares that there are no closed captions. Without that, Apple's players offer captions to every film.
 */
export function completeMaster(
  master: MasterPlaylist,
  read: ReadPackage,
  { mains, hasCaptions }: { mains: readonly string[]; hasCaptions: boolean },
): MasterPlaylist {
  let tags = 0;
  const lines = master.text.split('\n').map((line) => {
    if (line.startsWith('#EXT-X-MEDIA:')) return withDefault(line, master, mains);
    const variant = /^#EXT-X-(?:I-FRAME-)?STREAM-INF:/.test(line) ? master.variants[tags++] : undefined;
    if (variant === undefined) return line;
    return withRates(hasCaptions ? line.replace(',CLOSED-CAPTIONS=NONE', '') : line, variant, read, master);
  });
  return parseMaster(lines.join('\n'), master.url);
}

function withRates(line: string, variant: Variant, read: ReadPackage, master: MasterPlaylist): string {
  const { peak, average } = ratesOfVariant(variant, read, master) ?? { peak: 0, average: variant.averageBandwidth };
  const rate = missedRate(
    variant,
    read.parts.find(({ main }) => main === variant.uri),
  );
  const corrected = line
    .replace(/([:,])BANDWIDTH=\d+/, `$1BANDWIDTH=${Math.ceil(Math.max(variant.bandwidth, average, peak))}`)
    .replace(/AVERAGE-BANDWIDTH=\d+/, `AVERAGE-BANDWIDTH=${Math.round(average)}`);
  return rate === undefined ? corrected : corrected.replace(/FRAME-RATE=[\d.]+/, `FRAME-RATE=${rate.toFixed(3)}`);
}

/**
 * The packager sorts sound by language and makes the first the default. In each language, `AUTOSELECT` marks the track
 * whose thread was first. Players select one track of a language by themselves (RFC 8216, 4.3.4.1.1).
 */
function withDefault(line: string, { url, sounds }: MasterPlaylist, mains: readonly string[]): string {
  const valueOf = (name: string): string | undefined => new RegExp(`[:,]${name}="([^"]*)"`).exec(line)?.[1];
  const uri = resolveUri(valueOf('URI'), url);
  const group = sounds.filter((sound) => sound.group === valueOf('GROUP-ID'));
  const own = group.find((sound) => sound.uri === uri);
  if (own === undefined) return line;
  const isFirstOf = (others: readonly Sound[]): boolean =>
    others.every((sound) => mains.indexOf(uri) <= mains.indexOf(sound.uri));
  const isSelectable = isFirstOf(group.filter(({ language }) => language === own.language));
  const flags = `DEFAULT=${isFirstOf(group) ? 'YES' : 'NO'}${isSelectable ? ',AUTOSELECT=YES' : ''}`;
  return line.replace(',AUTOSELECT=YES', '').replace(/DEFAULT=(?:YES|NO)/, flags);
}

/**
 * Corrects the manifest (pure): each `bandwidth` includes the short last segment that the packager ignores, and the
 * length includes sound that continues after the pictures.
 */
export function completeManifest(manifest: Manifest, { parts }: Pick<ReadPackage, 'parts'>): Manifest {
  let { text } = manifest;
  const representations = manifest.representations.map((representation) => {
    const part = parts.find((one) => isOf(representation, one));
    const needed = part === undefined ? 0 : bandwidthOf(part.segments, manifest.minBufferSeconds);
    const bandwidth = Math.ceil(Math.max(representation.bandwidth, needed));
    const tag = new RegExp(`(<Representation id="${representation.id}" bandwidth=)"\\d+"`);
    text = text.replace(tag, `$1"${bandwidth}"`);
    const { frameRate } = representation;
    const rate = missedRate(representation, part);
    // All sizes have the same pictures, and the manifest states common attributes once.
    if (rate !== undefined) text = text.replaceAll(/(\bframeRate=)"[^"]*"/g, `$1"${Math.round(rate * 1000)}/1000"`);
    return { ...representation, bandwidth, frameRate: rate ?? frameRate };
  });
  const cutShort = representations.filter((representation) => isCutShort(representation, manifest));
  const seconds = Math.max(manifest.seconds, ...cutShort.map(listedSeconds));
  if (cutShort.length > 0)
    text = text.replace(/(\bmediaPresentationDuration=)"[^"]*"/, `$1"PT${Number(seconds.toFixed(6))}S"`);
  return { ...manifest, text, representations, seconds };
}

/** Whether a manifest and a playlist name the same files. */
export function isOf({ listing }: Representation, { playlist }: Pick<ReadPart, 'playlist'>): boolean {
  return listing.init !== undefined && listing.init.uri === playlist.init?.uri;
}
