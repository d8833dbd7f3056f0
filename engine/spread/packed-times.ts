import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MediaError } from '../media-error.ts';
import { mostTimesLength } from '../../contract/http/part.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import type { Packet } from '../ffmpeg/packet-list.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';

type TimedPictures = Pick<
  PictureSource,
  | 'stamps'
  | 'keyTicks'
  | 'startTicks'
  | 'endTicks'
  | 'timeBase'
  | 'bitrate'
  | 'undatedPackets'
  | 'startsLate'
  | 'hasHidden'
>;

/** Times of all pictures of a film: distances from one to the next. Equal ones need almost no space when deflated. */
interface PackedTimes {
  stamps: number[];
  keys: number[];
  /** Ticks of the last picture. */
  last: number;
  undated: number;
  /** Size of all packets. Containers of older versions omit it. */
  bytes?: number;
}

/** The times of 24 hours at 60 pictures a second take less. */
const mostJsonBytes = 64 * 1024 ** 2;

const distances = (numbers: readonly number[]): number[] =>
  numbers.map((number, index) => number - (numbers[index - 1] ?? 0));

function sums(steps: readonly number[]): number[] {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

/** Packs the times of a film's pictures. Returns undefined if they would be too long, or some are not shown. */
export function packTimes(pictures: TimedPictures): string | undefined {
  const { stamps, keyTicks, startTicks, endTicks, timeBase, bitrate, undatedPackets, startsLate, hasHidden } = pictures;
  if (stamps === undefined || startsLate || hasHidden) return undefined;
  const packed: PackedTimes = {
    stamps: distances(stamps),
    keys: distances(keyTicks),
    last: endTicks - (stamps.at(-1) ?? 0),
    undated: undatedPackets,
    bytes: Math.round(((bitrate * 1000) / 8) * (endTicks - startTicks) * valueOf(timeBase)),
  };
  const text = deflateRawSync(JSON.stringify(packed)).toString('base64');
  return text.length > mostTimesLength ? undefined : text;
}

/** Returns packets with the packed times, in display order. */
export function unpackTimes(text: string): Packet[] {
  const { stamps, keys, last, undated, bytes = 0 } = readTimes(text);
  const keyTicks = new Set(sums(keys));
  return sums(stamps).map((pts, index) => ({
    pts,
    dts: index < undated ? undefined : pts,
    duration: index === stamps.length - 1 ? last : undefined,
    // Only the sum counts.
    size: index === 0 ? bytes : 0,
    isKey: keyTicks.has(pts),
    isHidden: false,
  }));
}

const isNumbers = (list: unknown): boolean => Array.isArray(list) && list.every(Number.isFinite);

function readTimes(text: string): PackedTimes {
  try {
    const json = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: mostJsonBytes }).toString();
    const read = JSON.parse(json) as PackedTimes;
    if (isNumbers(read.stamps) && isNumbers(read.keys) && isNumbers([read.last, read.undated, read.bytes ?? 0]))
      return read;
  } catch {
    // The text is none that `packTimes` has written.
  }
  throw new MediaError('invalid_request', 'The times of the pictures, in part.times, cannot be read.');
}
