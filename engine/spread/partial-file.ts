import { open, type FileHandle } from 'node:fs/promises';
import type { PacketPlace } from '../ffmpeg/packet-places.ts';
import type { ByteRange } from './byte-ranges.ts';
import { boxHeaderSize, longHeaderSize, readBoxHeader } from '../formats/isobmff/box.ts';
import { firstTypes } from '../source/missing-index.ts';

/** A source file that is fetched in parts. Bytes that were not fetched are zeros. */
export interface PartialFile {
  path: string;
  /** Bytes of the whole file. */
  size: number;
  /** Fetches the bytes of these ranges that are not present. */
  bring(ranges: readonly ByteRange[]): Promise<void>;
}

/** Types whose contents are not read to find the samples. */
const unreadTypes: ReadonlySet<string> = new Set(['mdat', 'free', 'skip', 'wide']);

/** Bytes that are fetched to find a box: more than the index of a usual fragment. */
const stepBytes = 8 * 1024;

/** A larger index does not belong to a film. */
const maxIndexBytes = 128 * 1024 ** 2;

/** Boxes after which their mean size decides how the rest of the file is fetched. A fragment has two or more. */
const leastBoxes = 128;

/**
 * Boxes of a smaller mean size are fetched with all bytes between their headers. At 10 MB/s that takes less time than a
 * request of 25 ms for each fragment. Larger ones would cost more traffic than requests: every segment reads the index.
 */
const bytesPerRequest = 128 * 1024;

/** Bytes that are then fetched at a time, in pieces of 8 MiB over several connections. */
const blockBytes = 32 * 1024 ** 2;

/** A file whose boxes have a smaller mean size is fetched whole, and its other boxes are not read. */
const leastMeanBytes = 16 * 1024;

/**
 * Fetches an MP4 or MOV file except its samples. Returns false for a file of another format, for a file that is cut off,
 * and for one in tiny fragments.
 */
export async function bringIndex(file: PartialFile): Promise<boolean> {
  const handle = await open(file.path);
  try {
    return await bringBoxes(file, handle);
  } finally {
    await handle.close();
  }
}

async function bringBoxes(file: PartialFile, handle: FileHandle): Promise<boolean> {
  const { size } = file;
  let hasMovie = false;
  let fetchedEnd = 0;
  for (let at = 0, boxes = 0; at < size; boxes += 1) {
    const meanBytes = boxes < leastBoxes ? Infinity : at / boxes;
    if (meanBytes < leastMeanBytes) return false;
    if (Math.min(size, at + longHeaderSize) > fetchedEnd) {
      fetchedEnd = Math.min(size, at + (meanBytes < bytesPerRequest ? blockBytes : stepBytes));
      await file.bring([{ from: at, end: fetchedEnd }]);
    }
    const header = Buffer.alloc(Math.min(longHeaderSize, size - at));
    await handle.read(header, 0, header.length, at);
    if (header.length < boxHeaderSize) return false;
    const { type, size: boxSize = size - at } = readBoxHeader(header);
    if (at === 0 && !firstTypes.has(type)) return false;
    const end = at + boxSize;
    if (end < at + boxHeaderSize || end > size) return false;
    hasMovie ||= type === 'moov';
    if (!unreadTypes.has(type)) {
      if (end - at > maxIndexBytes) return false;
      await file.bring([{ from: at, end }]);
    }
    at = end;
  }
  return hasMovie;
}

/** Fetches packets. Returns false if a place is unknown or outside the file. */
export async function bringPackets(file: PartialFile, packets: readonly PacketPlace[]): Promise<boolean> {
  const ranges = packets.map(({ position, size }) => ({ from: position, end: position + size }));
  if (!ranges.every(({ from, end }) => from >= 0 && end <= file.size)) return false;
  await file.bring(ranges);
  return true;
}
