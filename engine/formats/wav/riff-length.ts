import { maxChunkHeaders, walkChunkHeaders, type Peek } from '../chunk-headers.ts';

/** What a WAV's own header says of its length. */
export type RiffLength =
  | {
      kind: 'declared';
      /** By the header's bytes a second, which writers of compressed codecs often get wrong, or leave at zero: undefined. */
      seconds: number | undefined;
      /** Of the declared bytes, those that are there; 1: all */
      presentShare: number;
    }
  /** No WAV, or one whose writer did not know the length. */
  | { kind: 'undeclared' };

const undeclared: RiffLength = { kind: 'undeclared' };

/** The id and size of a chunk, and as much of its body as is looked at. */
const headerBytes = 8 + 16;

/** Sizes of writers that did not know: 0 and 0xFFFFFFFF (pipes), 0x7FFFF000 and up (SoX, arecord). Where all those bytes are there, it is a size. */
function isPlaceholder(size: number, present: number): boolean {
  return size === 0 || size === 0xff_ff_ff_ff || (size >= 0x7f_ff_f0_00 && size <= 0x7f_ff_ff_ff && size > present);
}

/**
 * Walks over the chunk headers of RIFF/RF64 (EBU Tech 3306). ffprobe cannot be asked: where the file is shorter than
 * its header says, it silently tells the length of what is there.
 */
export async function findRiffLength(peek: Peek, fileSize: number): Promise<RiffLength> {
  const start = await peek(0);
  const magic = start.toString('latin1', 0, 4);
  if ((magic !== 'RIFF' && magic !== 'RF64') || start.toString('latin1', 8, 12) !== 'WAVE') return undeclared;
  let bytesPerSecond = 0;
  let dataSize64: number | undefined;
  for (let at = 12, chunks = 0; chunks < maxChunkHeaders; chunks += 1) {
    const chunk = await peek(at);
    if (chunk.length < 8) return undeclared;
    const id = chunk.toString('latin1', 0, 4);
    const size = chunk.readUInt32LE(4);
    if (id === 'fmt ' && chunk.length >= 20) bytesPerSecond = chunk.readUInt32LE(16);
    if (id === 'ds64' && chunk.length >= 24) dataSize64 = Number(chunk.readBigUInt64LE(16));
    if (id === 'data') {
      const present = fileSize - at - 8;
      const dataSize =
        magic === 'RF64' && size === 0xff_ff_ff_ff ? dataSize64 : isPlaceholder(size, present) ? undefined : size;
      if (dataSize === undefined || dataSize === 0) return undeclared;
      const seconds = bytesPerSecond === 0 ? undefined : dataSize / bytesPerSecond;
      return { kind: 'declared', seconds, presentShare: Math.min(1, present / dataSize) };
    }
    at += 8 + size + (size % 2);
  }
  return undeclared;
}

export async function readRiffLength(path: string): Promise<RiffLength> {
  return await walkChunkHeaders(path, headerBytes, findRiffLength);
}
