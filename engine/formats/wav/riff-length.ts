import { maxChunkHeaders, walkChunkHeaders, type Peek } from '../chunk-headers.ts';
import { isPlaceholderSize } from '../placeholder-size.ts';

/** Length of a WAV as its own header declares it. */
export type RiffLength =
  | {
      kind: 'declared';
      /** Seconds at the header's byte rate, which writers of compressed codecs often get wrong; undefined if it is zero. */
      seconds: number | undefined;
      /** Present share of the declared bytes; 1 if all are present. */
      presentShare: number;
    }
  /** The file exceeds 4 GiB, so that its 32-bit sizes overflowed, and its data do not end at the stated size. */
  | { kind: 'wrapped' }
  /** Not a WAV, or its writer did not know the length. */
  | { kind: 'undeclared' };

const undeclared: RiffLength = { kind: 'undeclared' };

/** Id and size of a chunk, and the part of its body that is read. */
const headerBytes = 8 + 16;

/**
 * Walks the chunk headers of RIFF, RF64 (EBU Tech 3306) and BW64 (ITU-R BS.2088). ffprobe does not help: if the file is
 * shorter than its header declares, ffprobe silently reports the length of what is present.
 */
export async function findRiffLength(peek: Peek, fileSize: number): Promise<RiffLength> {
  const start = await peek(0);
  const magic = start.toString('latin1', 0, 4);
  const is64Bit = magic === 'RF64' || magic === 'BW64';
  if ((magic !== 'RIFF' && !is64Bit) || start.toString('latin1', 8, 12) !== 'WAVE') return undeclared;
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
        is64Bit && size === 0xff_ff_ff_ff ? dataSize64 : isPlaceholderSize(size, present) ? undefined : size;
      if (dataSize === undefined || dataSize === 0) return undeclared;
      if (!is64Bit && fileSize > 8 + 2 ** 32 && present > size) return { kind: 'wrapped' };
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
