import { open } from 'node:fs/promises';

/** What a file's header says that it has, beside what is there, in bytes. */
export interface DeclaredSize {
  declared: number;
  present: number;
}

/** As much of a chunk as is looked at: the longest way to a figure is that of ASF's flags. */
const peekBytes = 96;
/** More chunks before the sound than any writer makes. */
const maxChunks = 1000;

const asfFileProperties = 'a1dcab8c47a9cf118ee400c00c205365';

type Peek = (position: number) => Promise<Buffer>;

/** A chunk's size with its header, and where it is the one that counts, what that says; undefined at the file's end. */
interface ChunkLook {
  length: number;
  size: { declared: number; from: number } | 'unknown' | undefined;
}

/** Apple's Core Audio Format: 4 bytes of type, 8 of size (-1: unknown), big-endian. */
function lookAtCaf(chunk: Buffer, position: number): ChunkLook {
  const size = Number(chunk.readBigInt64BE(4));
  if (chunk.toString('latin1', 0, 4) !== 'data') return { length: 12 + size, size: undefined };
  return { length: 12 + size, size: size < 0 ? 'unknown' : { declared: size, from: position + 12 } };
}

/** Sony Wave64: a GUID and 8 bytes of size, with these 24 in it; chunks begin at multiples of 8. */
function lookAtW64(chunk: Buffer, position: number): ChunkLook {
  const size = Number(chunk.readBigUInt64LE(16));
  const length = Math.ceil(size / 8) * 8;
  if (chunk.toString('latin1', 0, 4) !== 'data') return { length, size: undefined };
  return { length, size: size <= 24 || size > 2 ** 52 ? 'unknown' : { declared: size - 24, from: position + 24 } };
}

/** Microsoft's ASF (wma, wmv): a GUID and 8 bytes of size; the File Properties Object has the size of the whole file, but for broadcasts. */
function lookAtAsf(chunk: Buffer): ChunkLook {
  const length = Number(chunk.readBigUInt64LE(16));
  if (chunk.toString('hex', 0, 16) !== asfFileProperties || chunk.length < 92) return { length, size: undefined };
  const isBroadcast = (chunk.readUInt32LE(88) & 1) === 1;
  const declared = Number(chunk.readBigUInt64LE(40));
  return { length, size: isBroadcast || declared === 0 ? 'unknown' : { declared, from: 0 } };
}

/** By ffprobe's name of the format: where the first chunk begins and how one is read. */
const layouts: Record<string, { first: number; look(chunk: Buffer, position: number): ChunkLook }> = {
  caf: { first: 8, look: lookAtCaf },
  w64: { first: 40, look: lookAtW64 },
  asf: { first: 30, look: lookAtAsf },
};

/** Of formats whose length ffprobe guesses from what is left of a file. Undefined where the header does not say. */
export async function declaredSize(
  formatName: string,
  peek: Peek,
  fileSize: number,
): Promise<DeclaredSize | undefined> {
  const layout = layouts[formatName];
  if (layout === undefined) return undefined;
  for (let at = layout.first, chunks = 0; chunks < maxChunks; chunks += 1) {
    const chunk = await peek(at);
    if (chunk.length < 24) return undefined;
    const { length, size } = layout.look(chunk, at);
    if (size === 'unknown' || length <= 0) return undefined;
    if (size !== undefined)
      return { declared: size.declared, present: Math.max(1, Math.min(size.declared, fileSize - size.from)) };
    at += length;
  }
  return undefined;
}

export async function readDeclaredSize(path: string, formatName: string): Promise<DeclaredSize | undefined> {
  const file = await open(path);
  try {
    const peek: Peek = async (position) => {
      // Beyond 2^53 nothing can be read, and nothing is there.
      if (!Number.isSafeInteger(position)) return Buffer.alloc(0);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(peekBytes), 0, undefined, position);
      return buffer.subarray(0, bytesRead);
    };
    return await declaredSize(formatName, peek, (await file.stat()).size);
  } finally {
    await file.close();
  }
}
