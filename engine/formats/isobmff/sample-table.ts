import { MalformedFile } from '../malformed-file.ts';
import { aacFrameSamples } from '../aac/frame.ts';
import { figures } from '../figures.ts';
import { findBox, readUInt32, replaceBoxes } from './box.ts';

/** Limit in bytes for a chunk (libavformat's movenc.c, build_chunks). */
const maxChunkSize = 1024 * 1024;

const max32 = 2 ** 32 - 1;

const stbl = ['moov', 'trak', 'mdia', 'minf', 'stbl'] as const;

/** Contents of the tables of a file with one AAC track. */
export interface SampleTable {
  /** Bytes of each frame. */
  sizes: readonly number[];
  /** Samples of the last frame that are played. */
  lastDuration: number;
  /** Offset of the first frame in the file. */
  dataAt: number;
}

/** Reads stsz, stts and the start of stco (ISO/IEC 14496-12, 8.7.3.2, 8.6.1.2 and 8.7.5). */
export function readSampleTable(moov: Buffer): SampleTable {
  const stsz = findBox(moov, [...stbl, 'stsz']);
  const [size, count] = [readUInt32(stsz, 4), readUInt32(stsz, 8)];
  const sizes = Array.from({ length: count }, (_, index) => (size === 0 ? readUInt32(stsz, 12 + index * 4) : size));
  const stts = findBox(moov, [...stbl, 'stts']);
  const runs = Array.from({ length: readUInt32(stts, 4) }, (_, run) => ({
    count: readUInt32(stts, 8 + run * 8),
    duration: readUInt32(stts, 12 + run * 8),
  }));
  const last = runs.at(-1);
  // All frames except the last have one duration.
  const isRegular =
    runs.length === 1 || (runs.length === 2 && last?.count === 1 && runs[0]?.duration === aacFrameSamples);
  if (last === undefined || !isRegular || last.duration > aacFrameSamples) {
    const shown = runs.slice(0, 5).map(({ count, duration }) => `${count} x ${duration}`);
    throw new MalformedFile(`AAC frames of odd durations: ${shown.join(', ')}`);
  }
  return { sizes, lastDuration: last.duration, dataAt: readUInt32(findBox(moov, [...stbl, 'stco']), 8) };
}

interface Chunk {
  frames: number;
  bytes: number;
}

function layOutChunks(sizes: readonly number[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (const size of sizes) {
    const chunk = chunks.at(-1);
    if (chunk === undefined || chunk.bytes + size >= maxChunkSize) chunks.push({ frames: 1, bytes: size });
    else [chunk.frames, chunk.bytes] = [chunk.frames + 1, chunk.bytes + size];
  }
  return chunks;
}

function buildStsc(chunks: readonly Chunk[]): Buffer {
  const runs = chunks.flatMap(({ frames }, index) =>
    index > 0 && chunks[index - 1]?.frames === frames ? [] : [[index + 1, frames, 1]],
  );
  return figures([0, runs.length, ...runs.flat()]);
}

function buildStco(chunks: readonly Chunk[], dataAt: number): Buffer {
  const offsets: number[] = [];
  let at = dataAt;
  for (const { bytes } of chunks) {
    offsets.push(at);
    at += bytes;
  }
  return figures([0, offsets.length, ...offsets]);
}

function buildStts(count: number, lastDuration: number): Buffer {
  return lastDuration === aacFrameSamples
    ? figures([0, 1, count, aacFrameSamples])
    : figures([0, 2, count - 1, aacFrameSamples, 1, lastDuration]);
}

function buildStsz(sizes: readonly number[]): Buffer {
  const [first = 0] = sizes;
  if (sizes.every((size) => size === first)) return figures([0, first, sizes.length]);
  return Buffer.concat([figures([0, 0, sizes.length]), figures(sizes)]);
}

/** Overwrites the 32-bit number at `at`. The box must have version 0. */
function withFigure(body: Buffer, at: number, value: number): Buffer {
  if (body[0] !== 0 || value > max32 || at + 4 > body.length) throw new MalformedFile('an MP4 box of 64 bits');
  const changed = Buffer.from(body);
  changed.writeUInt32BE(value, at);
  return changed;
}

/** DecoderConfigDescriptor (ISO/IEC 14496-1, 7.2.6.6): tag 4, a size of four bytes, then AAC (0x40), an audio stream (0x15). */
function isDecoderConfig(stsd: Buffer, at: number): boolean {
  return stsd[at] === 4 && stsd[at + 1] === 0x80 && stsd[at + 5] === 0x40 && stsd[at + 6] === 0x15;
}

/** Sets the average bitrate in the sample description, and the peak if the average exceeds it. Both are in bit/s. */
function withBitrates(stsd: Buffer, average: number): Buffer {
  const changed = Buffer.from(stsd);
  const at = changed.findIndex((_, index) => isDecoderConfig(changed, index));
  if (at < 0) throw new MalformedFile('an unknown AAC sample description');
  const [highestAt, averageAt] = [at + 10, at + 14];
  const [highest, oldAverage] = [readUInt32(changed, highestAt), readUInt32(changed, averageAt)];
  changed.writeUInt32BE(highest > oldAverage ? Math.max(highest, average) : average, highestAt);
  changed.writeUInt32BE(average, averageAt);
  return changed;
}

/** Turns the moov box of one segment into that of the whole file. Its size does not depend on `dataAt`. */
export function rebuildMoov(moov: Buffer, { sizes, lastDuration, dataAt }: SampleTable): Buffer {
  const mdhd = findBox(moov, ['moov', 'trak', 'mdia', 'mdhd']);
  const mvhd = findBox(moov, ['moov', 'mvhd']);
  const elst = findBox(moov, ['moov', 'trak', 'edts', 'elst']);
  if (mdhd[0] !== 0 || mvhd[0] !== 0 || readUInt32(elst, 4) !== 1) throw new MalformedFile('an edit list too many');
  const rate = readUInt32(mdhd, 12);
  const duration = (sizes.length - 1) * aacFrameSamples + lastDuration;
  const inMovieTime = (samples: number): number => Math.ceil((samples * readUInt32(mvhd, 12)) / rate);
  // The encoder's priming is not played (ISO/IEC 14496-12, 8.6.6). movenc.c rounds this value twice.
  const priming = readUInt32(elst, 12);
  const movieDuration = inMovieTime(duration - priming);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const chunks = layOutChunks(sizes);
  return replaceBoxes(
    moov,
    new Map<string, (old: Buffer) => Buffer>([
      ['mvhd', (old) => withFigure(old, 16, movieDuration)],
      ['tkhd', (old) => withFigure(old, 20, movieDuration)],
      ['elst', (old) => withFigure(old, 8, inMovieTime(duration) - inMovieTime(priming))],
      ['mdhd', (old) => withFigure(old, 16, duration)],
      ['stsd', (old) => withBitrates(old, Math.floor((bytes * 8 * rate) / duration))],
      ['stts', () => buildStts(sizes.length, lastDuration)],
      ['stsc', () => buildStsc(chunks)],
      ['stsz', () => buildStsz(sizes)],
      ['stco', () => buildStco(chunks, dataAt)],
      // All frames belong to one roll group: each depends on the previous one (8.9.2).
      ['sbgp', (old) => withFigure(old, 12, sizes.length)],
    ]),
  );
}
