import { open } from 'node:fs/promises';

/** Headers, and the last page of an Ogg file, lie well within this. */
const endBytes = 128 * 1024;

export interface FileEnds {
  head: Buffer;
  tail: Buffer;
  /** bytes of the whole file */
  size: number;
}

/** The first and the last bytes of a file of any size. */
export async function readFileEnds(path: string): Promise<FileEnds> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const readAt = async (position: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(endBytes, size)), 0, undefined, position);
      return buffer.subarray(0, bytesRead);
    };
    return { head: await readAt(0), tail: await readAt(Math.max(0, size - endBytes)), size };
  } finally {
    await file.close();
  }
}
