import { open } from 'node:fs/promises';
import { pageFlags } from './ogg/page-flags.ts';

/** A part of a file, in bytes: from, and to before. */
export interface FilePart {
  from: number;
  to: number;
}

/** How a format shows that a file begins. */
interface Beginning {
  /** bytes that every beginning has, and `isBeginning` is asked of */
  marker: Buffer;
  /** `bytes` are from the marker on; `isFirst` tells that nothing but such markers has come since the last beginning. */
  isBeginning(bytes: Buffer): boolean;
  /** Beginnings that follow each other belong to one file: the streams of an Ogg begin side by side. */
  comeInGroups: boolean;
}

/** bytes from a marker on that tell whether a file begins there */
const lookAhead = 64;

/** RFC 3533, 6: version 0, and the flag of a stream's first page. */
const ogg: Beginning = {
  marker: Buffer.from('OggS'),
  isBeginning: (bytes) => bytes[4] === 0 && ((bytes[5] ?? 0) & pageFlags.beginOfStream) !== 0,
  comeInGroups: true,
};

/** RFC 9639, 8: the marker, a STREAMINFO block of 34 bytes, and blocks of at least 16 samples. */
const flac: Beginning = {
  marker: Buffer.from('fLaC'),
  isBeginning: (bytes) =>
    bytes.length >= 12 &&
    ((bytes[4] ?? 0) & 0x7f) === 0 &&
    bytes.readUIntBE(5, 3) === 34 &&
    bytes.readUInt16BE(8) >= 16,
  comeInGroups: false,
};

/** RFC 8794, 11.2: the EBML header, with its DocType. */
const matroska: Beginning = {
  marker: Buffer.from([0x1a, 0x45, 0xdf, 0xa3]),
  isBeginning: (bytes) => /\x42\x82.(?:webm|matroska)/s.test(bytes.toString('latin1')),
  comeInGroups: false,
};

/** By ffprobe's name: formats of which several files in a row are played one after the other, but of which ffmpeg loses or adds something. */
const beginnings: Record<string, Beginning> = { ogg, flac, 'matroska,webm': matroska };

const windowBytes = 1024 * 1024;

/** The files that a file is joined of, found by reading it once; one where its format is not joined like that. */
export async function findJoinedParts(path: string, formatName: string, signal: AbortSignal): Promise<FilePart[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const beginning = beginnings[formatName];
    const starts = beginning === undefined ? [] : await findStarts(file, size, beginning, signal);
    // What lies before the first is the first's, such as tags.
    const cuts = [0, ...starts.slice(1), size];
    return cuts.slice(1).map((to, index) => ({ from: cuts[index] ?? 0, to }));
  } finally {
    await file.close();
  }
}

async function findStarts(
  file: Awaited<ReturnType<typeof open>>,
  size: number,
  { marker, isBeginning, comeInGroups }: Beginning,
  signal: AbortSignal,
): Promise<number[]> {
  const buffer = Buffer.allocUnsafe(windowBytes + lookAhead);
  const starts: number[] = [];
  let isInGroup = false;
  for (let windowAt = 0; windowAt < size; windowAt += windowBytes) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, buffer.length, windowAt);
    const window = buffer.subarray(0, bytesRead);
    for (let at = window.indexOf(marker); at >= 0 && at < windowBytes; at = window.indexOf(marker, at + 1)) {
      const begins = isBeginning(window.subarray(at, at + lookAhead));
      if (begins && !isInGroup) starts.push(windowAt + at);
      isInGroup = begins && comeInGroups;
    }
  }
  return starts;
}
