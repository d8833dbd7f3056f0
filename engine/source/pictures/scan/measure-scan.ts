import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MediaError } from '../../../media-error.ts';
import { pictureDecodeGuards } from '../../../ffmpeg/guards.ts';
import type { Work } from '../../../work.ts';
import { runPool } from '../../../pool.ts';
import { runWithinLimits } from '../../../ffmpeg/limited-run.ts';
import type { RunLimits } from '../../../ffmpeg/limits.ts';
import { seekOptions } from '../../../ffmpeg/picture-entry.ts';
import { decoderThreads } from '../../../ffmpeg/picture-entry.ts';
import { pictureSeconds, type TimedPictures } from '../picture-source.ts';
import { valueOf } from '../../../ffmpeg/rational.ts';
import type { Size } from '../../../ffmpeg/size.ts';
import { turnBackFilters } from '../../../ffmpeg/turn.ts';
import { compareFields, type FieldComparison, type LumaPicture } from './compare-fields.ts';
import { isPlainlyProgressive, judgePlace, judgeScan, type Scan } from './judge-scan.ts';

/** Picture heights of television: 480 and 576, with and without the extra lines of tapes, and 1080. */
const televisionLines: ReadonlySet<number> = new Set([480, 486, 512, 576, 608, 1080, 1088]);

/** Pictures per second, of two fields each. */
const televisionRates = [25, 30_000 / 1001, 30, 24_000 / 1001];

/** Pixels before the source's pictures are turned. */
function storedSize({ coded, isTurned }: TimedPictures): Size {
  return isTurned === true ? { width: coded.height, height: coded.width } : coded;
}

/** True if size and rate allow interlaced or telecined pictures. Other films are not measured. */
export function isTelevision(source: TimedPictures): boolean {
  const { turn, isUpright, frames } = source;
  const rate = frames / pictureSeconds(source);
  // The average of a varying rate, or of a film with missing pictures, is slightly off.
  const isOfRate = televisionRates.some((other) => Math.abs(rate / other - 1) < 0.03);
  return (isUpright || turn > 0) && isOfRate && televisionLines.has(storedSize(source).height) && frames > 1;
}

/**
 * Shares of the film's length, far apart because titles may differ from the rest. The first three are the most
 * informative.
 */
const places = [0.5, 0.1, 0.9, 0.3, 0.7];
const firstPlaces = 3;
/** Five rounds of telecine, and one picture before them. */
const picturesAtEach = 26;
/** Telecined pictures have three combed ones among them. */
const picturesOfGlance = 9;
/** A shorter film is read whole. */
const mostInAll = places.length * picturesAtEach;
/** Wider pictures are averaged over columns; only lines carry the timing. */
const mostColumns = 320;

/**
 * Measures how a film's pictures were made by how their fields fit together
 * (docs/decisions/measure-interlacing.md). Undefined if they do not reveal it.
 */
export async function measureScan(
  source: TimedPictures,
  limits: RunLimits,
  { folder, signal, advance }: Pick<Work, 'folder' | 'signal' | 'advance'>,
): Promise<Scan | undefined> {
  const canBeTelecined = source.frames / pictureSeconds(source) > 27;
  const look = async (
    place: ScannedPlace | undefined,
    most: number,
    run: ReadingRun = { path: join(folder, 'fields'), threads: decoderThreads, signal },
  ): Promise<FieldComparison[]> => {
    const pictures = await readPictures(source, { place, most }, limits, run);
    return pictures.slice(1).map((picture, index) => compareFields(pictures[index] ?? picture, picture));
  };
  if (source.frames <= mostInAll) return judgePlace(await look(undefined, mostInAll), canBeTelecined);
  const found: (Scan | undefined)[] = [];
  const starts = placesOf(source);
  // A glance at one or two places alone could hit titles.
  const canGlance = starts.length >= firstPlaces;
  // Most films need no more. Each process takes longer to start than to decode, and with one thread each, all together
  // need no more memory than one process with several.
  const glances = await runPool(
    (canGlance ? starts.slice(0, firstPlaces) : []).map((start, place) => async (either: AbortSignal) => {
      const run = { path: join(folder, `fields-${place}`), threads: 1, signal: either };
      return await look(start, picturesOfGlance, run);
    }),
    firstPlaces,
    signal,
  );
  for (const [index, start] of starts.entries()) {
    const isPlain = canGlance && found.every((scan) => scan?.kind === 'progressive');
    if (index === firstPlaces && isPlain && !source.isInterlaced) break;
    advance('probe', index / places.length);
    const glance = isPlain ? (glances[index] ?? (await look(start, picturesOfGlance))) : [];
    const isWhole = glance.length === picturesOfGlance - 1 && isPlainlyProgressive(glance);
    found.push(isWhole ? { kind: 'progressive' } : judgePlace(await look(start, picturesAtEach), canBeTelecined));
  }
  return judgeScan(found);
}

/** Places at which the decoder starts to read pictures, in seconds, with the most pictures that it yields there. */
export function scannedPlaces(source: TimedPictures): { seconds: number; pictures: number }[] {
  if (source.frames <= mostInAll) return [{ seconds: -Infinity, pictures: mostInAll }];
  return placesOf(source).map(({ seconds }) => ({ seconds, pictures: picturesAtEach }));
}

interface ScannedPlace {
  /** Place where the decoder enters, in seconds on the file's clock. */
  seconds: number;
  /** Earlier pictures are left out. */
  fromTick?: number;
}

/**
 * Seconds before a key frame at which the decoder of HEVC enters a transport stream. ffmpeg enters it between key
 * frames, and this decoder then shows pictures whose references are missing.
 */
const earlierSeconds = 1;

/** Entry points of the decoder: the last key frame before each place. */
export function placesOf(source: TimedPictures): ScannedPlace[] {
  const { keyTicks, startTicks, timeBase, codec, formatName } = source;
  const seconds = places.map((share) => startTicks * valueOf(timeBase) + pictureSeconds(source) * share);
  const keys = seconds.map((place) => keyTicks.findLast((key) => key * valueOf(timeBase) <= place) ?? startTicks);
  const found = seconds.map((place, index) => ({ seconds: place, key: keys[index] ?? startTicks }));
  const distinct = found.filter(({ key }, index) => keys.indexOf(key) === index);
  if (codec !== 'hevc' || formatName !== 'mpegts') return distinct.map(({ seconds: place }) => ({ seconds: place }));
  return distinct.map(({ key }) => ({ seconds: key * valueOf(timeBase) - earlierSeconds, fromTick: key }));
}

/** A process that writes pictures to a file. */
interface ReadingRun {
  path: string;
  threads: number;
  signal: AbortSignal;
}

/** Reads some narrow pictures from there on; none if they cannot be decoded. */
async function readPictures(
  source: TimedPictures,
  { place, most }: { place: ScannedPlace | undefined; most: number },
  limits: RunLimits,
  { path, threads, signal }: ReadingRun,
): Promise<LumaPicture[]> {
  const { path: input, index, turn } = source;
  const inputOptions = [...pictureDecodeGuards(threads), '-copyts', ...seekOptions(place?.seconds)];
  const { width: stored, height } = storedSize(source);
  const width = Math.min(mostColumns, stored);
  const filter = [
    ...(place?.fromTick === undefined ? [] : [`trim=start_pts=${place.fromTick}`]),
    ...turnBackFilters[turn],
    ...[`scale=w=${width}:h=${height}:flags=area`, 'format=gray'],
  ].join(',');
  const options = [
    ...['-map', `0:${index}`, '-vf', filter, '-frames:v', String(most), '-fps_mode', 'passthrough'],
    ...['-c:v', 'rawvideo', '-f', 'rawvideo'],
  ];
  try {
    await runWithinLimits({ input, inputOptions, outputs: [{ path, options }] }, limits, signal);
    const raw = await readFile(path);
    const bytes = width * height;
    return Array.from({ length: Math.floor(raw.length / bytes) }, (_, number) => {
      return { width, height, pixels: raw.subarray(number * bytes, (number + 1) * bytes) };
    });
  } catch (error) {
    if (!(error instanceof MediaError) || signal.aborted) throw error;
    // The step that needs these pictures reports what is wrong with them.
    return [];
  } finally {
    await rm(path, { force: true });
  }
}
