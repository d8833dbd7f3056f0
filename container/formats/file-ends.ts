import { open } from 'node:fs/promises';
import { id3v2Length } from './mp3/id3v2-length.ts';

/** Headers, and the last page of an Ogg file, lie well within this. */
const endBytes = 128 * 1024;

export interface FileEnds {
  /** Behind an ID3v2 tag: one with lyrics or a picture can be longer than all that we read. */
  head: Buffer;
  tail: Buffer;
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
    const start = await readAt(0);
    const tagLength = id3v2Length(start);
    return {
      head: tagLength === 0 ? start : await readAt(tagLength),
      tail: await readAt(Math.max(0, size - endBytes)),
    };
  } finally {
    await file.close();
  }
}
