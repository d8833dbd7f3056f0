import { maxPackets } from '../../ffmpeg/packet-list.ts';
import { maxElements } from '../../formats/ending.ts';
import { MalformedFile } from '../../formats/malformed-file.ts';
import { WindowedFile } from '../../formats/windowed-file.ts';
import { boxHeaderSize, findBox, longHeaderSize, readBoxes, readBoxHeader } from '../../formats/isobmff/box.ts';
import { readTimescale, readUInt32, readUInt64 } from '../../formats/isobmff/box.ts';

/** A packet as the index of an MP4 or MOV file describes it. Times are in ticks of the track. */
export interface IndexedPacket {
  pts: number;
  dts: number;
  /** Bytes. */
  size: number;
  isKey: boolean;
}

export interface PictureIndex {
  /** Ticks per second. */
  timescale: number;
  packets: IndexedPacket[];
  /** False if the file lists no key pictures, and thereby declares every picture one. */
  listsKeys: boolean;
}

/** A longer index is not read here; a film of a day has about 40 MB. */
const maxMovieBytes = 64 * 1024 ** 2;

/** Gives the index up: it is damaged, or ffmpeg may change what it says. */
const unless = (isPlain: boolean, what: string): void => {
  if (!isPlain) throw new MalformedFile(what);
};

/**
 * Lists the packets of a picture track from the index of an MP4 or MOV file, with the times that ffmpeg gives them
 * (libavformat's mov.c). Undefined if the file has another format, is in fragments or cut off, or if its index needs
 * more than that: an edit that hides or delays pictures, several sample descriptions, negative offsets.
 */
export async function readPictureIndex(path: string, streamIndex: number): Promise<PictureIndex | undefined> {
  try {
    return await WindowedFile.use(path, async (file) => readTrack(await readMovie(file), streamIndex, file.size));
  } catch (error) {
    if (error instanceof MalformedFile) return undefined;
    throw error;
  }
}

/** Body of the only `moov`. */
async function readMovie(file: WindowedFile): Promise<Buffer> {
  let movie: Buffer | undefined;
  for (let at = 0, boxes = 0; at < file.size; boxes += 1) {
    const header = await file.read(at, longHeaderSize);
    unless(header.length >= boxHeaderSize && boxes < maxElements, 'an MP4 box that is cut off');
    const { type, size = file.size - at } = readBoxHeader(header);
    unless(size >= boxHeaderSize && at + size <= file.size, 'an MP4 box of an odd size');
    unless(type !== 'moof', 'fragments');
    if (type === 'moov') {
      unless(movie === undefined && header.readUInt32BE(0) > 1 && size <= maxMovieBytes, 'an unusual moov');
      movie = Buffer.from(await file.read(at + boxHeaderSize, size - boxHeaderSize));
    }
    at += size;
  }
  if (movie === undefined) throw new MalformedFile('no moov');
  return movie;
}

function readTrack(movie: Buffer, streamIndex: number, fileSize: number): PictureIndex {
  const boxes = readBoxes(movie);
  const tracks = boxes.filter(({ type }) => type === 'trak');
  const lastTrack = boxes.findLastIndex(({ type }) => type === 'trak');
  // ffmpeg numbers covers and tracks in the order of the file.
  const isNumbered = !boxes.slice(0, lastTrack).some(({ type }) => type === 'udta' || type === 'meta');
  unless(isNumbered && !boxes.some(({ type }) => type === 'mvex' || type === 'cmov'), 'an unusual moov');
  const track = tracks[streamIndex]?.body;
  if (track === undefined) throw new MalformedFile('no such track');
  const media = findBox(track, ['mdia']);
  unless(findBox(media, ['hdlr']).toString('latin1', 8, 12) === 'vide', 'no pictures');
  const timescale = readTimescale(findBox(media, ['mdhd']));
  unless(timescale > 0, 'no timescale');
  const references = findBox(media, ['minf', 'dinf', 'dref']);
  unless(readUInt32(references, 4) === 1 && (readUInt32(references, 16) & 1) === 1, 'samples in another file');
  const { packets, listsKeys } = readPackets(findBox(media, ['minf', 'stbl']), fileSize);
  const movieTimescale = readTimescale(findBox(movie, ['mvhd']));
  const edits = readBoxes(track).find(({ type }) => type === 'edts')?.body;
  const shown = edits === undefined ? packets : edited(packets, edits, timescale / movieTimescale);
  return { timescale, packets: shown, listsKeys };
}

/** Applies an edit list with one edit, which shows every picture: ffmpeg then moves the first one to zero. */
function edited(packets: IndexedPacket[], edits: Buffer, ticksPerMovieTick: number): IndexedPacket[] {
  const list = findBox(edits, ['elst']);
  unless(readUInt32(list, 4) === 1 && (list[0] === 0 || list[0] === 1), 'several edits');
  const isLong = list[0] === 1;
  const duration = (isLong ? readLong(list, 8) : readUInt32(list, 8)) * ticksPerMovieTick;
  const start = isLong ? readLong(list, 16) : readUInt32(list, 12);
  unless(readUInt32(list, isLong ? 24 : 16) === 0x1_00_00, 'another speed');
  const [first] = packets;
  if (first?.pts !== start) throw new MalformedFile('an edit that hides or delays pictures');
  const isWhole = packets.every(({ pts }) => pts >= start && pts < start + Math.floor(duration));
  unless(isWhole, 'an edit that hides pictures');
  return packets.map((packet) => ({ ...packet, pts: packet.pts - start, dts: packet.dts - start }));
}

/** A larger number is no time of a film, and is not exact in JavaScript. */
function readLong(body: Buffer, at: number): number {
  const number = readUInt64(body, at);
  unless(number <= Number.MAX_SAFE_INTEGER, 'a time of 64 bits');
  return number;
}

/** Reads the sample tables (ISO/IEC 14496-12, 8.6 and 8.7). */
function readPackets(table: Buffer, fileSize: number): Pick<PictureIndex, 'packets' | 'listsKeys'> {
  const boxes = readBoxes(table);
  const bodyOf = (type: string): Buffer | undefined => {
    const [body, ...more] = boxes.filter((box) => box.type === type).map((box) => box.body);
    unless(more.length === 0, `several boxes ${type}`);
    return body;
  };
  const needed = (type: string): Buffer => bodyOf(type) ?? Buffer.alloc(0);
  const groupings = boxes.filter(({ type }) => type === 'sbgp').map(({ body }) => body.toString('latin1', 4, 8));
  // ffmpeg takes pictures of these groups for key pictures, too.
  unless(!groupings.some((type) => type === 'rap ' || type === 'sync') && bodyOf('stps') === undefined, 'partial keys');
  unless(readUInt32(needed('stsd'), 4) === 1, 'several sample descriptions');
  const sizes = readSizes(needed('stsz'));
  checkPlaces(sizes, { runs: needed('stsc'), offsets: bodyOf('stco'), longOffsets: bodyOf('co64') }, fileSize);
  const steps = readRuns(needed('stts'), sizes.length);
  const offsetBox = bodyOf('ctts');
  const offsets = offsetBox === undefined ? undefined : readRuns(offsetBox, sizes.length);
  unless(offsets?.every((offset) => offset <= maxOffset) ?? true, 'offsets that ffmpeg ignores');
  // The last sample may have no duration of its own.
  unless(
    steps.every((step, index) => step > 0 || index === steps.length - 1),
    'samples without a duration',
  );
  const keys = readKeys(bodyOf('stss'));
  // ffmpeg also accepts a list that counts from 0, and finds some key pictures that the list lacks.
  unless(keys?.has(1) ?? true, 'a first picture that is no key picture');
  let dts = 0;
  const packets = sizes.map((size, index) => {
    const packet = { dts, pts: dts + (offsets?.[index] ?? 0), size, isKey: keys?.has(index + 1) ?? true };
    dts += steps[index] ?? 0;
    return packet;
  });
  return { packets, listsKeys: keys !== undefined };
}

function readSizes(stsz: Buffer): number[] {
  const [common, count] = [readUInt32(stsz, 4), readUInt32(stsz, 8)];
  unless(count > 0 && count <= maxPackets, 'no samples, or too many');
  const sizes = Array.from({ length: count }, (_, index) => (common === 0 ? readUInt32(stsz, 12 + index * 4) : common));
  unless(!sizes.includes(0), 'empty samples');
  return sizes;
}

/** Largest number that a signed field of 32 bits holds; ffmpeg reads larger ones as negative. */
const maxSigned = 2 ** 31 - 1;

/** Ticks of an offset. ffmpeg ignores the offsets of a file that has a larger one. */
const maxOffset = 2 ** 28;

/** Values of runs of a count and a value each, one for each sample. */
function readRuns(body: Buffer, count: number): number[] {
  const values: number[] = [];
  const runs = readUInt32(body, 4);
  for (let run = 0; run < runs; run += 1) {
    const [length, value] = [readUInt32(body, 8 + run * 8), readUInt32(body, 12 + run * 8)];
    unless(value <= maxSigned && values.length + length <= count, 'an odd time');
    for (let sample = 0; sample < length; sample += 1) values.push(value);
  }
  unless(values.length === count, 'a table of another length');
  return values;
}

/** Numbers of the key samples, from 1; undefined if all samples are. */
function readKeys(stss: Buffer | undefined): Set<number> | undefined {
  if (stss === undefined) return undefined;
  const count = readUInt32(stss, 4);
  unless(count > 0, 'no key samples');
  return new Set(Array.from({ length: count }, (_, index) => readUInt32(stss, 8 + index * 4)));
}

interface ChunkTables {
  /** `stsc` */
  runs: Buffer;
  /** `stco` */
  offsets: Buffer | undefined;
  /** `co64` */
  longOffsets: Buffer | undefined;
}

/** Checks that the file has all bytes of every sample. ffmpeg stops at the first sample that it lacks. */
function checkPlaces(sizes: readonly number[], { runs, offsets, longOffsets }: ChunkTables, fileSize: number): void {
  const places = offsets ?? longOffsets;
  if (places === undefined || (offsets !== undefined && longOffsets !== undefined))
    throw new MalformedFile('no places');
  const chunks = readUInt32(places, 4);
  const count = readUInt32(runs, 4);
  let sample = 0;
  for (let run = 0; run < count; run += 1) {
    const at = 8 + run * 12;
    const [first, each] = [readUInt32(runs, at), readUInt32(runs, at + 4)];
    const end = run + 1 < count ? readUInt32(runs, at + 12) - 1 : chunks;
    unless((run > 0 || first === 1) && first <= end && end <= chunks && each > 0, 'odd chunks');
    unless(readUInt32(runs, at + 8) === 1, 'several sample descriptions');
    for (let chunk = first; chunk <= end; chunk += 1) {
      const offset = offsets === undefined ? readLong(places, chunk * 8) : readUInt32(places, 4 + chunk * 4);
      unless(sample + each <= sizes.length, 'chunks of more samples');
      let bytes = 0;
      for (const to = sample + each; sample < to; sample += 1) bytes += sizes[sample] ?? 0;
      unless(offset + bytes <= fileSize, 'samples that the file lacks');
    }
  }
  unless(sample === sizes.length, 'chunks of fewer samples');
}
