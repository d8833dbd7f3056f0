import { maxChunkHeaders, walkChunkHeaders } from '../chunk-headers.ts';

/** Where the samples of a WAV that is whole begin, in bytes. Undefined: it has none. */
export async function findWavData(path: string): Promise<number | undefined> {
  return await walkChunkHeaders(path, 8, async (peek, fileSize) => {
    for (let at = 12, chunks = 0; chunks < maxChunkHeaders && at < fileSize; chunks += 1) {
      const chunk = await peek(at);
      if (chunk.length < 8) return undefined;
      if (chunk.toString('latin1', 0, 4) === 'data') return at + 8;
      const size = chunk.readUInt32LE(4);
      at += 8 + size + (size % 2);
    }
    return undefined;
  });
}
