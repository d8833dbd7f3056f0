import { maxChunkHeaders, walkChunkHeaders, type Peek } from './chunk-headers.ts';
import { isPlaceholderSize } from './placeholder-size.ts';

/** Size that a file's header declares, and size that is present, in bytes. */
export interface DeclaredSize {
  declared: number;
  present: number;
  /** Length that the header declares for all its streams. */
  seconds?: number;
}

/** ASF's flags are the field farthest from a chunk's start. */
const headerBytes = 96;

const asfFileProperties = 'a1dcab8c47a9cf118ee400c00c205365';

interface ChunkFacts {
  /** Bytes from the start of this chunk to the start of the next one. */
  length: number;
  /** Declared bytes of audio (ASF: of the whole file) and their offset; undefined in a chunk that declares nothing. */
  size: { declared: number; from: number; seconds?: number } | 'unknown' | undefined;
}

/**
 * Apple's Core Audio Format: 4 bytes of type, 8 of size (-1: unknown), big-endian. The chunk `pakt` may follow the
 * data. It locates the packets in the data, which cannot be found without it.
 */
function readCafChunk(chunk: Buffer, position: number): ChunkFacts {
  const size = Number(chunk.readBigInt64BE(4));
  if (!['data', 'pakt'].includes(chunk.toString('latin1', 0, 4))) return { length: 12 + size, size: undefined };
  return { length: 12 + size, size: size < 0 ? 'unknown' : { declared: size, from: position + 12 } };
}

/** Sony Wave64: a GUID and 8 bytes of size, which includes these 24 bytes. Chunks start at multiples of 8. */
function readW64Chunk(chunk: Buffer, position: number): ChunkFacts {
  const size = Number(chunk.readBigUInt64LE(16));
  const length = Math.ceil(size / 8) * 8;
  if (chunk.toString('latin1', 0, 4) !== 'data') return { length, size: undefined };
  return { length, size: size <= 24 || size > 2 ** 52 ? 'unknown' : { declared: size - 24, from: position + 24 } };
}

/**
 * Microsoft's ASF (wma, wmv): a GUID and 8 bytes of size. The File Properties Object declares the size of the whole
 * file, except in broadcasts.
 */
function readAsfChunk(chunk: Buffer): ChunkFacts {
  const length = Number(chunk.readBigUInt64LE(16));
  if (chunk.toString('hex', 0, 16) !== asfFileProperties || chunk.length < 92) return { length, size: undefined };
  const isBroadcast = (chunk.readUInt32LE(88) & 1) === 1;
  const declared = Number(chunk.readBigUInt64LE(40));
  // Play duration is in units of 100 ns. It includes the preroll, which is in milliseconds.
  const seconds = Number(chunk.readBigUInt64LE(64)) / 1e7 - Number(chunk.readBigUInt64LE(80)) / 1000;
  return { length, size: isBroadcast || declared === 0 ? 'unknown' : { declared, from: 0, seconds } };
}

/** AIFF: 4 bytes of type, 4 of size, big-endian, at even offsets. `SSND` has size 0 if its writer did not know it. */
function readAiffChunk(chunk: Buffer, position: number): ChunkFacts {
  const size = chunk.readUInt32BE(4);
  const length = 8 + size + (size % 2);
  if (chunk.toString('latin1', 0, 4) !== 'SSND') return { length, size: undefined };
  return { length, size: size === 0 ? 'unknown' : { declared: size, from: position + 8 } };
}

/** Sun and NeXT audio has no chunks. Its header holds its own size and the size of the data (0xFFFFFFFF: unknown). */
function readAuHeader(header: Buffer): ChunkFacts {
  const [from, declared] = [header.readUInt32BE(4), header.readUInt32BE(8)];
  const isKnown = declared !== 0 && declared !== 0xff_ff_ff_ff;
  return { length: from, size: isKnown ? { declared, from } : 'unknown' };
}

interface Layout {
  first: number;
  headerBytes: number;
  goesOn?: true;
  readChunk(chunk: Buffer, position: number): ChunkFacts;
}

/** Layouts by ffprobe's format name: offset of the first chunk, how to read one, and whether later ones also count. */
const layouts: Record<string, Layout> = {
  caf: { first: 8, headerBytes: 12, goesOn: true, readChunk: readCafChunk },
  w64: { first: 40, headerBytes: 24, readChunk: readW64Chunk },
  aiff: { first: 12, headerBytes: 8, readChunk: readAiffChunk },
  au: { first: 0, headerBytes: 12, readChunk: readAuHeader },
  asf: { first: 30, headerBytes: 24, readChunk: readAsfChunk },
};

/** Serves formats whose length ffprobe guesses from the bytes present. Undefined if the header declares no size. */
export async function findDeclaredSize(
  formatName: string,
  peek: Peek,
  fileSize: number,
): Promise<DeclaredSize | undefined> {
  const layout = layouts[formatName];
  if (layout === undefined) return undefined;
  let found: DeclaredSize | undefined;
  for (let at = layout.first, chunks = 0; chunks < maxChunkHeaders; chunks += 1) {
    const chunk = await peek(at);
    if (chunk.length < layout.headerBytes) return found;
    const { length, size } = layout.readChunk(chunk, at);
    if (size === 'unknown' || length <= 0) return found;
    if (size !== undefined) {
      const { from, declared, ...declaration } = size;
      if (formatName === 'aiff' && isPlaceholderSize(declared, fileSize - from)) return found;
      const present = Math.max(0, Math.min(declared, fileSize - from));
      found = {
        ...declaration,
        declared: declared + (found?.declared ?? 0),
        present: Math.max(1, present + (found?.present ?? 0)),
      };
      if (!layout.goesOn) return found;
    }
    at += length;
  }
  return found;
}

export async function readDeclaredSize(path: string, formatName: string): Promise<DeclaredSize | undefined> {
  return await walkChunkHeaders(path, headerBytes, (peek, fileSize) => findDeclaredSize(formatName, peek, fileSize));
}
