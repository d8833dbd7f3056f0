import { maxChunkHeaders, walkChunkHeaders } from '../chunk-headers.ts';

/** Where the samples of a WAV lie. */
export interface WavData {
  /** byte of the file */
  start: number;
  /** bytes of one sample of all channels */
  frameBytes: number;
}

/** The id and size of a chunk, and the format's fields as far as the last that is read. */
const headerBytes = 8 + 14;

/** Undefined: it has none. */
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
