import { maxChunkHeaders, walkChunkHeaders } from '../chunk-headers.ts';

/** Location of the samples of a WAV. */
export interface WavData {
  /** Offset in the file. */
  start: number;
  /** Bytes of one sample of all channels. */
  frameBytes: number;
}

/** Id and size of a chunk, and the format fields up to the last one that is read. */
const headerBytes = 8 + 14;

/** Returns undefined if the file has no samples. */
export async function findWavData(path: string): Promise<WavData | undefined> {
  return await walkChunkHeaders(path, headerBytes, async (peek, fileSize) => {
    let frameBytes = 0;
    for (let at = 12, chunks = 0; chunks < maxChunkHeaders && at < fileSize; chunks += 1) {
      const chunk = await peek(at);
      if (chunk.length < 8) return undefined;
      const id = chunk.toString('latin1', 0, 4);
      if (id === 'fmt ' && chunk.length >= headerBytes) frameBytes = chunk.readUInt16LE(20);
      if (id === 'data') return frameBytes === 0 ? undefined : { start: at + 8, frameBytes };
      const size = chunk.readUInt32LE(4);
      at += 8 + size + (size % 2);
    }
    return undefined;
  });
}
