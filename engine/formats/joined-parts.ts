import { open } from 'node:fs/promises';
import { pageFlags } from './ogg/page-flags.ts';

/** A byte range of a file; `to` is exclusive. */
export interface FilePart {
  from: number;
  to: number;
}

/** How a format marks the start of a file. */
interface Beginning {
  /** Bytes that every start has; `isBeginning` judges each occurrence. */
  marker: Buffer;
  /** `bytes` start with the marker. */
  isBeginning(bytes: Buffer): boolean;
  /** Consecutive starts belong to one file: the streams of an Ogg file start side by side. */
  comeInGroups: boolean;
}

/** Bytes from a marker that decide whether a file starts there. */
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

/**
 * Keyed by ffprobe's format name. Players play several concatenated files of these formats one after the other, but
 * ffmpeg loses or adds content at the joins.
 */
const beginnings: Record<string, Beginning> = { ogg, flac, 'matroska,webm': matroska };

const windowBytes = 1024 * 1024;

/**
 * Finds the files that a file is concatenated from, in one pass. Returns one part if its format cannot be concatenated
 * like this.
 */
export async function findJoinedParts(path: string, formatName: string, signal: AbortSignal): Promise<FilePart[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const beginning = beginnings[formatName];
    const starts = beginning === undefined ? [] : await findStarts(file, size, beginning, signal);
    // Bytes before the first start, such as tags, belong to the first part.
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
